import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@iii/source', 'node', 'development|production'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from the report, not from the text on the screen.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
    projects: [
      {
        extends: true,
        test: { name: 'units', include: ['{packages,apps}/*/src/**/*.test.ts', 'packaging/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          // `pnpm test:python` and `pnpm test:install`
          exclude: [...configDefaults.exclude, 'e2e/python/**', 'e2e/install/install.test.ts'],
          globalSetup: ['e2e/bundle.ts'],
        },
      },
    ],
  },
})
