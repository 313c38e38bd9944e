import { configDefaults, defineConfig } from 'vitest/config'
import { ON_BOTH_ENGINES } from './e2e/both-engines.ts'
import { IN_SEARCH_MODE } from './e2e/search-mode.ts'

/** They count what their process uses, so they have one of their own each. */
const MEASURE = ['apps/mcp-bridge/src/http/leaks.test.ts', 'apps/skills-registry/src/records/scale.test.ts']

/** They start our programs. */
const START = [
  'apps/*/src/main.test.ts',
  'apps/mcp-bridge/src/management/workers.test.ts',
  'packages/mock-engine/src/cli/main.test.ts',
  'packages/sdk/src/process-group/process-group.test.ts',
  'packages/sdk/src/run/run-worker.test.ts',
]

export default defineConfig({
  ssr: { resolve: { conditions: ['@iii/source', 'node', 'development|production'] } },
  test: {
    pool: 'forks',
    // One more than CI has processors: some tests wait, for a deadline or a clock.
    maxWorkers: 3,
    // The files that a process runs share what they import, which takes longer to load than most tests take to run.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from the report, not from the text on the screen.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['{packages,apps}/*/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...MEASURE, ...START],
          setupFiles: ['e2e/linear-time.ts'],
        },
      },
      { extends: true, test: { name: 'measure', include: MEASURE, isolate: true } },
      { extends: true, test: { name: 'programs', include: START, globalSetup: ['e2e/bundle.ts'] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          // `pnpm test:python`, `pnpm test:servers`, `pnpm test:browser`, `pnpm test:redis` and `pnpm test:install`
          exclude: [
            ...configDefaults.exclude,
            ...[
              'e2e/python/**',
              'e2e/reference-servers/**',
              'e2e/browser/**',
              'e2e/redis/**',
              'e2e/install/install.test.ts',
            ],
          ],
          globalSetup: ['e2e/bundle.ts'],
          setupFiles: ['e2e/suites/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e, engine 0.23',
          include: ON_BOTH_ENGINES.map((name) => `e2e/scenarios/${name}.test.ts`),
          globalSetup: ['e2e/bundle.ts'],
          setupFiles: ['e2e/suites/setup.ts'],
          provide: { engineVersion: '0.23' },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e, search mode',
          include: IN_SEARCH_MODE.map((name) => `e2e/scenarios/${name}.test.ts`),
          globalSetup: ['e2e/bundle.ts'],
          setupFiles: ['e2e/suites/setup.ts'],
          provide: { searchMode: true },
        },
      },
    ],
  },
})
