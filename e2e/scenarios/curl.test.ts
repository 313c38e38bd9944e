import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { runCurl } from '../curl/run.ts'
import { scenario } from '../scenario.ts'
import { isSearchMode } from '../search-mode.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack
/** Where a list has few tools, it has the two that find and call the others. */
const LISTED = isSearchMode() ? '"search_tools"\n"call_tool"' : '"demo__hello"'

/** Nothing but what the documents have: two functions, one of which opted in, and a bridge that asks for that. */
beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
  const exposed = { metadata: { 'mcp.expose': true } }
  stack.worker.registerFunction('demo::hello', () => ({ greeting: 'hi' }), { description: 'Say hello', ...exposed })
  stack.worker.registerFunction('demo::hidden', () => ({ greeting: 'boo' }))
  await stack.worker.ready({ timeoutMs: 5000 })
  await stack.startBridge(['--require-expose'])
})
afterAll(() => cleanup.run())

scenario(
  ['curl/mcp-0.3.2', 'client/no-session'],
  'tools/list shows what is exposed, no built-ins and nothing internal',
  async () => {
    const { shown } = await runCurl(
      `curl -sX POST http://127.0.0.1:3111/mcp \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | jq '.result.tools[].name'`,
      stack.httpUrl,
    )
    expect(shown).toBe(LISTED)
  },
)

scenario(['curl/mcp-0.3.2'], 'tools/call shows what the function returned', async () => {
  const { shown } = await runCurl(
    `curl -sX POST http://127.0.0.1:3111/mcp \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"demo__hello","arguments":{}}}' \\
  | jq '.result.content[0].text'`,
    stack.httpUrl,
  )
  expect(JSON.parse(JSON.parse(shown))).toEqual({ greeting: 'hi' })
})

scenario(
  ['curl/mcp-0.3.2', 'gate/not-exposed'],
  'a hidden function is "not exposed via mcp.expose metadata"',
  async () => {
    const { shown, body } = await runCurl(
      `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"demo__hidden","arguments":{}}}' \\
  | jq '.result.content[0].text'`,
      stack.httpUrl,
    )
    expect(shown).toContain('not exposed via mcp.expose metadata')
    expect(JSON.parse(body).result.isError).toBe(true)
  },
)

scenario(['curl/mcp-0.3.2', 'gate/internal'], 'an infra prefix is "in the iii-engine internal namespace"', async () => {
  const { shown, body } = await runCurl(
    `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"state__set","arguments":{}}}' \\
  | jq '.result.content[0].text'`,
    stack.httpUrl,
  )
  expect(shown).toContain('in the iii-engine internal namespace')
  expect(JSON.parse(body).result.isError).toBe(true)
})

scenario(['curl/mcp-0.3.2'], 'a built-in is "disabled on this server"', async () => {
  const { shown, body } = await runCurl(
    `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"iii_trigger_void","arguments":{"function_id":"demo::hello","payload":{}}}}' \\
  | jq '.result.content[0].text'`,
    stack.httpUrl,
  )
  expect(shown).toContain('disabled on this server')
  expect(JSON.parse(body).result.isError).toBe(true)
})

scenario(['curl/mcp-0.5.8'], 'initialize with empty params shows the revision, as one event', async () => {
  const { shown, headers } = await runCurl(
    `curl -sNX POST http://127.0.0.1:3111/mcp \\
  -H 'content-type: application/json' \\
  -H 'accept: text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' \\
  | sed -n 's/^data: //p' | jq '.result.protocolVersion'`,
    stack.httpUrl,
  )
  expect(shown).toBe('"2025-06-18"')
  expect(headers['content-type']).toBe('text/event-stream')
})

scenario(['curl/mcp-0.5.8', 'http/reply'], 'tools/list shows the names, as one event', async () => {
  const { shown, body } = await runCurl(
    `curl -sNX POST http://127.0.0.1:3111/mcp \\
  -H 'content-type: application/json' \\
  -H 'accept: text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \\
  | sed -n 's/^data: //p' | jq '.result.tools[].name'`,
    stack.httpUrl,
  )
  expect(shown).toBe(LISTED)
  expect(body.match(/^event: message$/gm)).toHaveLength(1)
})
