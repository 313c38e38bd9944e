import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { requestOnce } from '../facts.ts'
import { openSession, postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

const text = { type: 'text', text: 'x' }
const content = [text]
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }

/** What functions return that know MCP by hearsay. */
const odd: Readonly<Record<string, unknown>> = {
  remarks: { content: [{ ...text, annotations: { audience: 'everyone', priority: 7 }, _meta: 'm' }] },
  picture: { content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] },
  sound: { content: [{ type: 'audio', data: 'a-_b', mimeType: 'audio/wav' }] },
  link: { content: [{ type: 'resource_link', uri: 'a:b', name: 'a', size: '5', icons: [{}], title: 7 }] },
  resource: { content: [{ type: 'resource', resource: { uri: 'a:b', blob: '!', text: 'x', mimeType: 5 } }] },
  blocks: { content: [1, null, { type: 'video' }] },
  beside: { content, structuredContent: [1], isError: 'yes', _meta: 'm', resultType: 'input_required', task: {} },
  own: { content, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'evil' } } },
  nothing: undefined,
  null: null,
  half: 'a\ud800',
  list: [1, null],
  prototype: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  unknown: { result_type: 'weird', content },
}
const promised: Readonly<Record<string, unknown>> = {
  object: { a: 1 },
  text: 'x',
  nothing: undefined,
  blocks: { content },
}

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags: ['--max-result-bytes', '4096'] }))
  const { worker } = stack
  for (const [name, value] of Object.entries(odd)) worker.registerFunction(`odd::${name}`, () => value)
  for (const [name, value] of Object.entries(promised)) {
    worker.registerFunction(`promised::${name}`, () => value, { response_format: SCHEMA })
  }
  worker.registerFunction('large::text', () => 'ä'.repeat(10_000))
  worker.registerFunction('own::error', ({ code }: { code: number }) => {
    return { result_type: 'protocol_error', code, message: 'Session not found at /srv/app/index.js:1:1' }
  })
  const list = async () => JSON.stringify((await requestOnce(stack.mcpUrl, 'tools/list')) ?? null)
  await until(async () => (await list()).includes('"own__error"'), { what: 'the functions to be listed' })
})
afterAll(() => cleanup.run())

for (const kind of CLIENT_KINDS) {
  scenario(['results/acceptable'], `${kind} takes whatever functions return`, async () => {
    await using client = await stack.connect(kind)
    for (const name of Object.keys(odd)) {
      const result = await client.callTool(`odd__${name}`)
      expect(result.content, name).toBeInstanceOf(Array)
    }
    // Clients compare with the schema once they have listed.
    expect((await client.listTools()).map(({ name }) => name)).toContain('promised__text')
    for (const name of Object.keys(promised)) await client.callTool(`promised__${name}`).catch(expectOwnSchema)
  })
}

/** A client may say that the data does not fit what the function promised; nothing else. */
function expectOwnSchema(error: unknown): void {
  expect(String(error)).toMatch(/does not match the tool's output schema/i)
}

scenario(['results/limit'], 'a large result is cut at a character and leads to the whole', async () => {
  const session = await openSession(stack.mcpUrl)
  const [reply] = await postRequest(stack.mcpUrl, session, 'tools/call', { name: 'large__text' }).over
  const uri = 'iii://fn/large/text'
  expect(reply?.result).toEqual({
    content: [
      { type: 'text', text: expect.stringMatching(new RegExp(`too large.+ of 20 KiB follow.+read at ${uri}`)) },
      { type: 'resource_link', uri, name: 'large::text' },
      { type: 'text', text: expect.stringMatching(/^ä{1000,2048}…?$/) },
    ],
  })
  const [whole] = await postRequest(stack.mcpUrl, session, 'resources/read', { uri }).over
  expect(whole?.result).toMatchObject({ contents: [{ uri, text: 'ä'.repeat(10_000) }] })
})

scenario(['results/own-codes'], 'what a function calls an error is none of the session', async () => {
  const session = await openSession(stack.mcpUrl)
  for (const code of [-32_001, -32_003, -32_020, -32_021, -32_601]) {
    const params = { name: 'own__error', arguments: { code } }
    const error = { code: -32_603, message: 'Session not found at <path>' }
    expect(await postRequest(stack.mcpUrl, session, 'tools/call', params).over).toMatchObject([{ error }])
    const modern = postStateless(stack.mcpUrl, 'tools/call', params)
    expect(await modern.over).toMatchObject([{ error }])
    expect([await modern.status]).toEqual([200])
  }
  const own = { name: 'own__error', arguments: { code: -32_050 } }
  expect(await postRequest(stack.mcpUrl, session, 'tools/call', own).over).toMatchObject([{ error: { code: -32_050 } }])
})
