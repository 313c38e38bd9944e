import { expect, it } from 'vitest'
import { formatNextSteps, toPackageManager } from './next-steps.ts'

it('speaks of the package manager that runs it', () => {
  expect(toPackageManager('pnpm/10.34.9 npm/? node/v20.20.2 linux x64')).toBe('pnpm')
  expect(toPackageManager('npm/11.19.1 node/v20.20.2 linux x64 workspaces/false')).toBe('npm')
  expect(toPackageManager(undefined)).toBe('npm')
})

it('says how to get to the folder, unless somebody is there', () => {
  expect(formatNextSteps('tea', 'a b/tea', 'pnpm')).toMatch(
    /^The worker tea is in a b\/tea\. [\s\S]* cd 'a b\/tea'\n {2}pnpm install\n/,
  )
  expect(formatNextSteps('tea', "it's(a)/tea", 'pnpm')).toContain("  cd 'it'\\''s(a)/tea'\n")
  expect(formatNextSteps('tea', '', 'npm')).toMatch(/^The worker tea is in this folder\. Next:\n\n {2}npm install\n/)
})
