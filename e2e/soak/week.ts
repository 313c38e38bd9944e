import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../until.ts'
import type { FaultScene, SoakFault } from './fault.ts'
import type { Ledger } from './ledger.ts'
import type { Operation } from './operation.ts'
import { shuffle } from './random.ts'
import type { SoakStage } from './stage.ts'

/** What became of the faults, each by its name. */
export interface Struck {
  times: number
  /** From the moment in which nothing was broken any more until everything worked, in ms. */
  slowestMs: number
  /** Why not everything worked in time. */
  readonly problems: string[]
}

export interface WeekOptions {
  readonly scene: FaultScene
  readonly faults: readonly SoakFault[]
  readonly operations: readonly Operation[]
  readonly ledger: Ledger
  readonly everyMs: number
  readonly endsAt: number
}

/** After so long everything has to work again. */
const RECOVERS_MS = 60_000
/** At the beginning nothing is broken. */
const CALM_MS = 10_000
/** Then nothing may be refused any more. */
const TAIL_MS = 3_000

/** Lets one fault after the other strike, all of them by turns, each time in another order. */
export async function endure(options: WeekOptions): Promise<ReadonlyMap<string, Struck>> {
  const { scene, faults, everyMs, endsAt } = options
  const struck = new Map<string, Struck>()
  await pause(CALM_MS)
  while (performance.now() < endsAt && faults.length > 0) {
    for (const fault of shuffle(scene.random, faults)) {
      const nextAt = performance.now() + everyMs
      if (nextAt > endsAt) return struck
      await strike(fault, options, struck)
      await pause(Math.max(0, nextAt - performance.now()))
    }
  }
  return struck
}

async function strike(fault: SoakFault, options: WeekOptions, struck: Map<string, Struck>): Promise<void> {
  const { scene, ledger } = options
  const row = struck.get(fault.name) ?? { times: 0, slowestMs: 0, problems: [] }
  struck.set(fault.name, row)
  row.times++
  scene.say(`${fault.name} …`)
  const close = ledger.open(fault.name)
  try {
    await fault.strike(scene)
    const mendedAt = performance.now()
    await recovers(options)
    const tookMs = performance.now() - mendedAt
    row.slowestMs = Math.max(row.slowestMs, tookMs)
    scene.say(`${fault.name}: everything works after ${(tookMs / 1000).toFixed(1)} s`)
    await pause(TAIL_MS)
  } catch (error) {
    row.problems.push(`${fault.name}: ${error instanceof Error ? error.message : String(error)}`)
    scene.say(row.problems.at(-1) ?? '')
    await restore(scene.stage)
  } finally {
    close()
  }
}

/** Resolves when each operation of each client is done right. */
async function recovers({ scene, operations }: WeekOptions): Promise<void> {
  const { clients } = scene.stage
  const pairs = operations.flatMap((operation) => clients.map((client) => ({ operation, client })))
  const endsAt = performance.now() + RECOVERS_MS
  await Promise.all(
    pairs.map(({ operation, client }) =>
      until(
        async () => {
          const verdict = await operation.run(client, scene.random)
          if (verdict.outcome !== 'right') throw new Error(verdict.text)
          return true
        },
        { what: `${operation.name} of ${client.name} to work again`, deadlineMs: endsAt - performance.now() },
      ),
    ),
  )
}

/** Whoever is away after a fault that went wrong is started, so that the next one finds everybody. */
async function restore({ members, engine }: SoakStage): Promise<void> {
  for (const member of members.values()) {
    member.signal('SIGCONT')
    if (member.upSince === undefined) await member.start().catch(() => undefined)
  }
  await engine.power?.start().catch(() => undefined)
}
