import { expect, it } from 'vitest'
import { askEngineVersion, explainUnsupported } from './version.ts'

it.each([
  ['0.21.9', 'is older than 0.22.1, the oldest that is supported'],
  ['0.22.0', 'is older than 0.22.1, the oldest that is supported'],
  ['0.22.1', undefined],
  ['0.22.17', undefined],
  ['0.22.2-rc.1', undefined],
  ['0.23.0-rc.4', undefined],
  ['0.23.7', undefined],
  ['0.24.0', 'is newer than 0.23 and not supported yet'],
  ['1.0.0', 'is newer than 0.23 and not supported yet'],
  ['1.22.1', 'is newer than 0.23 and not supported yet'],
])('an engine of version %s %s', (version, reason) => {
  expect(explainUnsupported(version)).toBe(reason)
})

it.each([
  [{ status: 'healthy', version: '0.22.1' }, '0.22.1'],
  [{ status: 'healthy' }, undefined],
  [{ version: 'unknown' }, undefined],
  [null, undefined],
])('the answer %j tells the version %s', async (answer, version) => {
  expect(await askEngineVersion({ trigger: () => Promise.resolve(answer as never) })).toBe(version)
})

it('an engine that does not answer tells none', async () => {
  expect(await askEngineVersion({ trigger: () => Promise.reject(new Error('forbidden')) })).toBeUndefined()
})
