import { startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { expect, test } from 'vitest'
import { startRunProcess } from '../testing/run-stage.ts'

test('a secret of the input is in no other place of it either', async () => {
  await using engine = await startMockEngine()
  const properties = { pass: { type: 'string', format: 'password' } }
  const login = { targets: ['shop::login'], input: { type: 'object', properties, additionalProperties: true } }
  await using runs = await startRunProcess(engine.url, { login })
  runs.worker.registerFunction('shop::login', () => null)
  await runs.worker.ready()
  const input = {
    pass: 'hunter2/canary',
    note: 'say hunter2/canary',
    by: { 'hunter2/canary': 'hunter2/canary', ok: 1 },
  }
  const record = await runs.run('login', { input })
  expect(record.input).toMatchObject({
    value: { note: 'say <secret>', by: { '<secret>': '<secret>', ok: 1 } },
    redacted: ['/pass', '/note', '/by/<secret>'],
  })
  const state = (scope: string) => engine.call('state::list', { scope })
  const kept = await Promise.all(Object.values(STATE_SCOPES.runs).map(state))
  expect(JSON.stringify([record, kept])).not.toContain('canary')
})
