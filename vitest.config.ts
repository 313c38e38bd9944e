import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@iii/source', 'node', 'development|production'] } },
  test: {
    include: ['{packages,apps}/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'packaging/**/*.test.ts'],
    // `pnpm test:python` and `pnpm test:install`
    exclude: [...configDefaults.exclude, 'e2e/python/**', 'e2e/install/install.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from the report, not from the text on the screen.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
})
