import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { startVitest } from 'vitest/node'

export interface ScenarioRun {
  /** Which files, as globs from the top of the repository. */
  include: readonly string[]
  exclude?: readonly string[]
  /** Words of the command line, which choose among them. */
  filters: readonly string[]
  provide: Partial<ProvidedContext>
}

/** Runs scenarios that may share an engine: one after the other, each file in a process of its own. Sets the exit code. */
export async function runScenarios({ include, exclude = [], filters, provide }: ScenarioRun): Promise<void> {
  const vitest = await startVitest(
    'test',
    [...filters],
    {
      config: false,
      root: fileURLToPath(new URL('../../', import.meta.url)),
      watch: false,
      include: [...include],
      exclude: [...exclude],
      setupFiles: ['e2e/suites/setup.ts'],
      pool: 'forks',
      fileParallelism: false,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      provide,
    },
    { ssr: { resolve: { conditions: ['@iii/source', 'node', 'development|production'] } } },
  )
  await vitest.close()
}
