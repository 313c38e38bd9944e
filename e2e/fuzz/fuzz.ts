import fc from 'fast-check'
import type { FuzzTarget } from './target.ts'

/** What became of one target. */
export interface Fuzzed {
  readonly name: string
  inputs: number
  rounds: number
  /** That its rounds took. */
  ms: number
  /** Each with the seed that shows it again. */
  readonly finds: string[]
}

export interface FuzzOptions {
  readonly seed: number
  /** Goes on until then. */
  readonly until: number
  readonly say: (text: string) => void
}

/** Fast targets try a thousand inputs in the time in which slow ones try one: turns are equally long. */
const TURN_MS = 3_000

/** Gives all targets inputs by turns, rounds of each for a few seconds, until the time is over; one with a find has no further round. */
export async function fuzz(targets: readonly FuzzTarget[], { seed, until, say }: FuzzOptions): Promise<Fuzzed[]> {
  const tried = targets.map((target) => ({
    target,
    result: { name: target.name, inputs: 0, rounds: 0, ms: 0, finds: [] } as Fuzzed,
  }))
  const strays = watchStrays()
  const isOver = () => performance.now() >= until || tried.every(({ result }) => result.finds.length > 0)
  const takeTurn = async ({ target, result }: (typeof tried)[number]) => {
    const began = performance.now()
    while (result.finds.length === 0 && !isOver() && performance.now() - began < TURN_MS) {
      const round = seed + result.rounds
      const find = await tryRound(target, { seed: round, result, strays })
      if (find === undefined) continue
      result.finds.push(find)
      say(`${target.name}, --only ${target.name} --seed ${round}:\n${find}\n`)
    }
    result.ms += performance.now() - began
  }
  try {
    while (!isOver()) for (const one of tried) await takeTurn(one)
  } finally {
    strays.stop()
  }
  return tried.map(({ result }) => result)
}

interface Round {
  readonly seed: number
  readonly result: Fuzzed
  readonly strays: ReturnType<typeof watchStrays>
}

async function tryRound(target: FuzzTarget, { seed, result, strays }: Round): Promise<string | undefined> {
  const property = fc.asyncProperty(target.input, async (value) => {
    result.inputs += target.count?.(value) ?? 1
    await target.run(value)
    strays.require()
  })
  const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: target.values ?? 50 })
  result.rounds++
  if (!failed) return await target.serves().then(nothing, (error: unknown) => `after the round: ${String(error)}`)
  const why = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  return `${String(why)}\n  for ${fc.stringify(counterexample)}`.slice(0, 4_000)
}

const nothing = () => undefined

/** A promise of this process that nobody waits for may be the one that failed. */
function watchStrays() {
  let found: unknown
  const keep = (error: unknown) => {
    found ??= error
  }
  process.on('unhandledRejection', keep)
  process.on('uncaughtException', keep)
  return {
    require() {
      const error = found
      found = undefined
      if (error !== undefined) throw error
    },
    stop() {
      process.off('unhandledRejection', keep)
      process.off('uncaughtException', keep)
    },
  }
}
