import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'
import { findReason } from '../long-tests.ts'

/** How long one test took. */
export interface TestTime {
  /** From the top of the repository. */
  readonly file: string
  /** Without those of the blocks around it. */
  readonly name: string
  readonly ms: number
}

/** What a test may take when nothing else runs. */
export const LIMIT_MS = 3_000
/** A machine that is busy makes any test slow: the best of so many runs counts. */
const RUNS = 3

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Runs tests one after the other, and those that were too slow again.
 *
 * @param filters words that choose files, as for vitest
 * @returns the tests that took too long each time, though no list names them
 */
export async function findSlowTests(filters: readonly string[], say: (line: string) => void): Promise<TestTime[]> {
  let slow = await timeTests(filters)
  for (let run = 2; run <= RUNS && slow.length > 0; run++) {
    say(`Run ${run} of the files of ${slow.length} tests that took more than ${LIMIT_MS} ms:`)
    for (const test of slow) say(`  ${formatSlow(test)}`)
    const again = await timeTests(slow.map(({ file }) => file))
    slow = slow.flatMap((test) => again.filter(({ file, name }) => file === test.file && name === test.name))
  }
  return slow.sort((a, b) => b.ms - a.ms)
}

/** @returns those over the limit that no list names; none for a run that failed, whose exit code says so */
async function timeTests(filters: readonly string[]): Promise<TestTime[]> {
  const options = { root: ROOT, watch: false, fileParallelism: false, maxWorkers: 1, reporters: ['dot'] }
  const vitest = await startVitest('test', [...new Set(filters)], options)
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  await vitest.close()
  return tests
    .map((test) => ({
      file: relative(ROOT, test.module.moduleId),
      name: test.name,
      ms: test.diagnostic()?.duration ?? 0,
    }))
    .filter(({ file, name, ms }) => ms > LIMIT_MS && findReason(file, name) === undefined)
}

export function formatSlow({ file, name, ms }: TestTime): string {
  return `${(ms / 1000).toFixed(1)} s  ${file}  ${name}`
}
