import { expect, it } from 'vitest'
import { allow, startServer } from '../testing/server-stage.ts'

it.each([
  [
    'an error with the code of a closed connection',
    { error: { code: -32000, message: 'no s3cr3t-value' } },
    'no <secret>',
  ],
  ['an error that is a text', { error: 'no licence' }, 'no licence'],
  ['null', { result: null }, 'as MCP wants it'],
  ['a text', { result: 'hello' }, 'as MCP wants it'],
])('a server that answers `initialize` with %s says so at once', async (_, answer, said) => {
  await using stage = await startServer({
    answer: ({ method, id }, process) => method === 'initialize' && process.say({ id, ...answer }),
  })
  await allow(stage)
  expect(stage.server.status()).toMatchObject({
    state: 'backoff',
    diagnostics: [{ code: 'initialize_invalid', message: expect.stringContaining(said) }],
  })
})

it.each([[null], [5], [{ progressToken: {} }]])(
  'a server whose `_meta` is %j is understood all the same',
  async (_meta) => {
    const capabilities = { tools: {} }
    await using stage = await startServer({
      answer({ method, id }, process) {
        const serverInfo = { name: 'odd', version: '1' }
        if (method === 'initialize')
          process.say({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo, _meta } })
        if (method === 'tools/list') process.say({ id, result: { tools: [], _meta } })
      },
    })
    await allow(stage)
    expect(stage.server.status()).toMatchObject({ state: 'ready', server: { name: 'odd' }, diagnostics: [] })
  },
)

it('a secret that a server calls its revision is not told', async () => {
  await using stage = await startServer({
    answer: ({ method, id }, process) =>
      method === 'initialize' && process.say({ id, result: { protocolVersion: 's3cr3t-value' } }),
  })
  await allow(stage)
  expect(stage.server.status()).toMatchObject({
    diagnostics: [{ code: 'revision_unsupported', message: expect.stringContaining('"<secret>"') }],
  })
})

it('a server that says nothing but what is no message is told from one that says nothing', async () => {
  let said = 'Listening on http://127.0.0.1:3000\n'
  await using stage = await startServer({ answer: (_, process) => void process.stdout.write(said) })
  await allow(stage)
  await stage.clock.advance(30_000)
  const toReason = () => stage.server.status().diagnostics[0]?.message
  expect(toReason()).toContain('something else to stdout')
  said = ''
  await stage.clock.advance(1_000)
  await stage.clock.advance(30_000)
  expect(toReason()).toContain('a first start')
})
