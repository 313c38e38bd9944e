import { type BenchSubject, toMedian } from './measure.ts'

/** Of a round, and calls of a turn; batches go out every hundred calls, so that they fall into turns of both alike. */
const TURNS = 60
const CALLS = 11
/** Of each of the two. */
export const CALLS_PER_ROUND = TURNS * CALLS
/** Of thirty ratios this one, counted from the least, is above the true median in 95 of 100 cases (binomial). */
const UPPER_BOUND_AT = 20

/** How many times as long one takes as the other. Within a round they take turns every few calls: what else the machine does hits both. */
export async function compareInTurns(one: BenchSubject, other: BenchSubject): Promise<number> {
  const times = new Map<BenchSubject, number[]>([
    [one, []],
    [other, []],
  ])
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const subject of turn % 2 === 0 ? [one, other] : [other, one]) {
      const start = performance.now()
      for (let call = 0; call < CALLS; call += 1) await subject.run()
      times.get(subject)?.push(performance.now() - start)
    }
  }
  return toMiddleMean(times.get(one) ?? []) / toMiddleMean(times.get(other) ?? [])
}

/** The mean of the turns but for the slowest and the quickest tenth: in those the machine did something else. */
function toMiddleMean(times: readonly number[]): number {
  const cut = Math.floor(times.length / 10)
  const middle = [...times].sort((a, b) => a - b).slice(cut, times.length - cut)
  return middle.reduce((sum, ms) => sum + ms, 0) / middle.length
}

/** What thirty ratios say: their median, and what the true one is below in 95 of 100 cases. */
export function judgeRatios(all: readonly number[]): { ratios: readonly number[]; median: number; bound: number } {
  const ratios = [...all].sort((a, b) => a - b)
  return { ratios, median: toMedian(ratios), bound: ratios[UPPER_BOUND_AT - 1] ?? Number.NaN }
}
