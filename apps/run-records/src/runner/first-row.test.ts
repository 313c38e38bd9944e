import { startMockEngine } from '@iii/mock-engine'
import { expect, test } from 'vitest'
import { startRunProcess } from '../testing/run-stage.ts'

test('a secret of the input is in no other place of it either', async () => {
  await using engine = await startMockEngine()
  const properties = { pass: { type: 'string', format: 'password' }, note: { type: 'string' } }
  const login = { targets: ['shop::login'], input: { type: 'object', properties } }
  await using runs = await startRunProcess(engine.url, { login })
  runs.worker.registerFunction('shop::login', () => null)
  await runs.worker.ready()
  const record = await runs.run('login', { input: { pass: 'hunter2canary', note: 'say hunter2canary' } })
  expect(record.input).toMatchObject({ value: { note: 'say <secret>' }, redacted: ['/pass', '/note'] })
  expect(JSON.stringify(await runs.store.read(record.id))).not.toContain('canary')
})
