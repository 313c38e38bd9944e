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

test.each([
  ['shop::a', 'none'],
  ['shop::b', 'none'],
  ['shop::b', 'digest'],
])('of the input no more is kept than each target lets: %s, %s', async (strict, policy) => {
  await using engine = await startMockEngine()
  const input = { type: 'object', properties: { note: { type: 'string' } } }
  await using runs = await startRunProcess(engine.url, { both: { targets: ['shop::a', 'shop::b'], input } })
  for (const id of ['shop::a', 'shop::b'])
    runs.worker.registerFunction(id, () => null, { metadata: id === strict ? { 'runs.record': policy } : {} })
  await runs.worker.ready()
  const record = await runs.run('both', { input: { note: 'canary' } })
  expect(record).toMatchObject({ status: 'passed', input: { omitted: policy } })
  expect(JSON.stringify(record.input)).not.toContain('canary')
})

test('what works on a result of which nothing is kept has no digest of it either', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, { chain: { targets: ['shop::last'] } })
  const needs = { 'runs.depends_on': ['shop::shown', 'shop::secret'] }
  runs.worker.registerFunction('shop::shown', () => 'canary')
  runs.worker.registerFunction('shop::secret', () => 'canary', { metadata: { 'runs.record': 'none' } })
  runs.worker.registerFunction('shop::last', () => null, { metadata: needs })
  await runs.worker.ready()
  const { tasks } = await runs.run('chain')
  expect(tasks.find(({ id }) => id === 'shop::last')?.needs).toEqual({
    'shop::shown': expect.not.stringMatching('not kept'),
    'shop::secret': 'not kept',
  })
})
