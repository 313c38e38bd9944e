import { setTimeout as pause } from 'node:timers/promises'
import { readCpuMs } from './cpu-time.ts'
import type { BenchSubject } from './measure.ts'

export interface CountOptions {
  /** Replies of each subject. */
  readonly count: number
  readonly inFlight: number
  /** Ends all of it, whatever is counted by then. */
  readonly endsAt: number
  /** A call without an answer holds up those behind it for so long. @default 1000 */
  readonly deadlineMs?: number
  /** A call is lost when it was still not answered so long after all the others. @default 5000 */
  readonly graceMs?: number
}

/** What became of the calls of one subject. */
export interface ReplyTally {
  readonly name: string
  calls: number
  answered: number
  /** Answered, but not within the deadline. */
  late: number
  seconds: number
  cpuMs: number
}

const CALLS_A_ROUND = 4000
const POLL_MS = 20

/**
 * Calls subjects in turns and counts what is answered: `run` is one call, and its promise stays open for ever when the reply
 * is lost. Turns are short, so that whatever else the machine does hits all of them alike.
 */
export async function countReplies(
  subjects: readonly BenchSubject[],
  options: CountOptions,
  tell: (tallies: readonly ReplyTally[]) => void,
): Promise<ReplyTally[]> {
  const tallies = subjects.map(({ name }) => ({ name, calls: 0, answered: 0, late: 0, seconds: 0, cpuMs: 0 }))
  const isOver = () => performance.now() >= options.endsAt
  while (tallies.some(({ calls }) => calls < options.count) && !isOver()) {
    for (const [at, subject] of subjects.entries()) {
      const tally = tallies[at]
      if (tally !== undefined && !isOver()) await runRound(subject, tally, options)
    }
    tell(tallies)
  }
  const end = performance.now() + (options.graceMs ?? 5000)
  while (tallies.some(({ calls, answered }) => answered < calls) && performance.now() < end) await pause(POLL_MS)
  return tallies
}

async function runRound({ run, pid = 0 }: BenchSubject, tally: ReplyTally, options: CountOptions) {
  const { count, inFlight, endsAt, deadlineMs = 1000 } = options
  let left = Math.min(CALLS_A_ROUND, count - tally.calls)
  const cpuBefore = readCpuMs(pid) ?? 0
  const start = performance.now()
  const lane = async () => {
    while (left-- > 0 && performance.now() < endsAt) await callOnce(run, tally, deadlineMs)
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  tally.seconds += (performance.now() - start) / 1000
  tally.cpuMs += (readCpuMs(pid) ?? 0) - cpuBefore
}

/** Resolves when the call is answered, or when nobody would wait for it any longer. */
function callOnce(run: () => Promise<unknown>, tally: ReplyTally, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    let isLate = false
    const overdue = setTimeout(() => {
      isLate = true
      resolve()
    }, deadlineMs)
    tally.calls += 1
    const answered = () => {
      clearTimeout(overdue)
      tally.answered += 1
      if (isLate) tally.late += 1
      resolve()
    }
    // An error is no answer: the engine gives up on an HTTP request whose reply it has lost.
    void run().then(answered, () => undefined)
  })
}
