import { setTimeout as pause } from 'node:timers/promises'
import { CrossTalk, type SoakClient } from './http-clients.ts'
import type { CallVerdict, Ledger } from './ledger.ts'
import { type Operation, refused, toWrong } from './operation.ts'
import { pick, type Random } from './random.ts'

/** Nothing that anybody asks may take longer: a bridge gives up sooner, and says so. */
const DEADLINE_MS = 75_000
/** So many calls may wait; beyond that the load is less for a while, and no call is made up. */
const MOST_IN_FLIGHT = 500
const SLICE_MS = 25
const SETTLING_MS = 5_000
const GIVEN_UP = /unknown|deadline|within|timed out|timeout|lost|too long/i

export interface LoadOptions {
  /** Calls a second. */
  readonly rate: number
  readonly clients: readonly SoakClient[]
  readonly operations: readonly Operation[]
  readonly random: Random
  readonly ledger: Ledger
  /** Since when the process of a name can be used, or undefined while it cannot. */
  readonly upSince: (member: string) => number | undefined
}

export interface Load {
  readonly inFlight: () => number
  /** So many were not made, because too many waited. */
  readonly heldBack: () => number
  /** Makes no more, and waits for those that are on their way. */
  stop(): Promise<void>
}

/** Makes calls at a rate, whatever becomes of those before. */
export function startLoad({ rate, clients, operations, random, ledger, upSince }: LoadOptions): Load {
  const deck = operations.flatMap((operation) => Array<Operation>(operation.weight).fill(operation))
  const waiting = new Set<Promise<void>>()
  let isOver = false
  let heldBack = 0

  async function call(operation: Operation, client: SoakClient): Promise<void> {
    const from = performance.now()
    const was = [operation.member, client.member].map((name) => name && upSince(name))
    const verdict = await judge(operation, client, random)
    const isAway = [operation.member, client.member].some(
      (name, at) => name !== undefined && (upSince(name) !== was[at] || (was[at] ?? from) > from - SETTLING_MS),
    )
    ledger.note({
      operation: `${operation.name} of ${client.name}`,
      from,
      to: performance.now(),
      verdict,
      isExcused: isAway,
    })
  }

  const going = (async () => {
    let made = 0
    const begin = performance.now()
    while (!isOver) {
      const due = Math.floor(((performance.now() - begin) / 1000) * rate)
      for (; made < due; made++) {
        if (waiting.size >= MOST_IN_FLIGHT) {
          heldBack++
          continue
        }
        const one = call(pick(random, deck), pick(random, clients)).finally(() => waiting.delete(one))
        waiting.add(one)
      }
      await pause(SLICE_MS)
    }
  })()

  return {
    inFlight: () => waiting.size,
    heldBack: () => heldBack,
    async stop() {
      isOver = true
      await going
      await Promise.all(waiting)
    },
  }
}

async function judge(operation: Operation, client: SoakClient, random: Random): Promise<CallVerdict> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<CallVerdict>((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, { outcome: 'hung', text: `no answer within ${DEADLINE_MS} ms` })
  })
  const run = operation.run(client, random).catch((error: unknown): CallVerdict => {
    return error instanceof CrossTalk
      ? toWrong(error.message)
      : refused(error instanceof Error ? error.message : String(error))
  })
  const verdict = await Promise.race([run, late]).finally(() => clearTimeout(timer))
  // The engine has lost it: whoever may wait for a stream waits longer than this, and is told then.
  const isGivenUp = verdict.outcome === 'hung' || (verdict.outcome === 'refused' && GIVEN_UP.test(verdict.text))
  const isLost = operation.isForeign && isGivenUp
  return isLost ? { outcome: 'reply lost', text: verdict.text } : verdict
}
