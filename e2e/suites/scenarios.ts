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
  /** Each test is a step that needs the one before it: every step is told, and the first that fails is the last. @default false */
  inSteps?: boolean
}

/** Runs scenarios that may share an engine: one after the other, each file in a process of its own. Sets the exit code. */
export async function runScenarios(run: ScenarioRun): Promise<void> {
  const { include, exclude = [], filters, provide, inSteps = false } = run
  const vitest = await startVitest(
    'test',
    [...filters],
    {
      config: false,
      root: fileURLToPath(new URL('../../', import.meta.url)),
      watch: false,
      include: [...include],
      exclude: [...exclude],
      globalSetup: ['e2e/bundle.ts'],
      setupFiles: ['e2e/suites/setup.ts'],
      pool: 'forks',
      fileParallelism: false,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      provide,
      ...(inSteps ? { bail: 1, reporters: ['verbose'] } : {}),
    },
    { ssr: { resolve: { conditions: ['@iii/source', 'node', 'development|production'] } } },
  )
  await vitest.close()
}
