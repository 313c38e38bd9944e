import process from 'node:process'
import { expect } from 'vitest'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: declarations of an interface have the same parameters
  interface Matchers<T = any> {
    /**
     * Holds what a function takes for an input of a size against what it takes for one of an eighth of it.
     *
     * @example
     * await expect(toOutline).toTakeLinearTime((size) => '# '.repeat(size), 131_072)
     */
    toTakeLinearTime(
      toInput: (size: number) => T extends (input: infer I) => unknown ? I : never,
      size: number,
    ): Promise<void>
  }
}

/** Eight squared is never seen below it. */
const MOST = 30
/** What takes less is not measured well. */
const LEAST_MS = 0.05
/** Another process may have the caches of the processor for a while, so the best of all measurements in so long counts. */
const TRIES_MS = 2_000

/** Of the processor, in milliseconds: the machine may have other things to do. */
async function measure(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return toMs(process.cpuUsage(before))
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}

expect.extend({
  async toTakeLinearTime(work: (input: unknown) => unknown, toInput: (size: number) => unknown, size: number) {
    const [short, long] = [toInput(size / 8), toInput(size)]
    let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const toFactor = () => longMs / Math.max(shortMs, LEAST_MS)
    const startedAt = process.cpuUsage()
    while (!(toFactor() < MOST) && toMs(process.cpuUsage(startedAt)) < TRIES_MS) {
      // The first time it is compiled as well.
      for (let time = 0; time < 3; time++) shortMs = Math.min(shortMs, await measure(() => work(short)))
      longMs = Math.min(longMs, await measure(() => work(long)))
    }
    const took = `took ${toFactor()} times as long for eight times as much`
    return { pass: toFactor() < MOST, message: () => took }
  },
})
