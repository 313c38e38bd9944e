import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS, connectClient } from '../clients.ts'
import { runCurl } from '../curl/run.ts'
import { runInspector } from '../inspector.ts'
import { type StdioCommand, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { startStdio } from '../stdio-process.ts'
import type { ServerTarget } from '../transports.ts'

/**
 * The section "Local testing" of mcp 0.3.2, from a clean machine to the gate, step by step as it stands there. Its first curl lines are in
 * `curl.test.ts`. Only what asks to be shown is shown there without being told so; here that is what `--require-expose` is for.
 */
const cleanup = createCleanup()
let stack: Stack
let home: string
/** How often the function ran. */
let ran = 0

beforeAll(async () => {
  home = cleanup.use(await createTempFolder()).path
  stack = cleanup.use(await startStack({ workers: [] }))
  const metadata = { 'mcp.expose': true }
  const hello = () => {
    ran += 1
    return { greeting: 'hi' }
  }
  stack.worker.registerFunction('demo::hello', hello, { description: 'Say hello', metadata })
  stack.worker.registerFunction('demo::hidden', hello)
  await stack.worker.ready({ timeoutMs: 5000 })
  await stack.startBridge(['--require-expose'])
})
afterAll(() => cleanup.run())

const BUILTINS = [
  ...['iii_worker_register', 'iii_worker_stop', 'iii_trigger_register', 'iii_trigger_unregister'],
  ...['iii_trigger_void', 'iii_trigger_enqueue'],
]

for (const kind of CLIENT_KINDS) {
  scenario(['local/inspector-gui'], `3c: the tabs of the Inspector as ${kind} fills them`, async () => {
    await using client = await connectClient(kind, stack.mcpUrl)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['demo__hello'])
    expect(JSON.parse((await client.callTool('demo__hello')).content[0]?.text ?? '')).toEqual({ greeting: 'hi' })
    const uris = ['iii://functions', 'iii://workers', 'iii://triggers', 'iii://context']
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(uris)
    const [functions] = await client.readResource('iii://functions')
    expect(JSON.parse(functions?.text ?? '')).toMatchObject([{ function_id: 'demo::hello' }])
    const names = ['register-function', 'build-api', 'setup-cron', 'event-pipeline']
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(names)
    const args = { language: 'python', function_id: 'orders::place' }
    const { messages } = await client.getPrompt('register-function', args)
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('```python') } }])
    expect(JSON.stringify(messages)).toContain('orders::place')
    if (kind !== 'client 2.x on 2026-07-28') expect(await client.ping()).toEqual({})
  })
}

async function inspect(target: ServerTarget, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runInspector(target, home, args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, unknown>
}

const namesOf = ({ tools }: Record<string, unknown>) => (tools as { name: string }[]).map(({ name }) => name)

scenario(
  ['local/inspector-cli'],
  '3d and 3e: the Inspector on the command line, over HTTP and over stdio',
  async () => {
    const bin = stdioBridge(stack.engineUrl, ['--require-expose'])
    const before = ran
    const [listed, called, started] = await Promise.all([
      inspect(stack.mcpUrl, '--method', 'tools/list'),
      inspect(stack.mcpUrl, '--method', 'tools/call', '--tool-name', 'demo__hello'),
      inspect(bin, '--method', 'tools/list'),
    ])
    expect(namesOf(listed)).toEqual(['demo__hello'])
    expect(called).toMatchObject({ structuredContent: { greeting: 'hi' } })
    expect(ran).toBe(before + 1)
    expect(namesOf(started)).toEqual([...BUILTINS, 'demo__hello'])
  },
)

/** The block for Claude Desktop as it is printed, with more words for the server. */
const toBlock = (...words: string[]) => `{
  "mcpServers": {
    "iii": {
      "command": "/absolute/path/to/iii-mcp",
      "args": ${JSON.stringify(['--engine-url', 'ws://127.0.0.1:49134', ...words])}
    }
  }
}`

/** What Claude Desktop starts when it reads the block: its path leads to our program, its address to our engine. */
function toCommand(block: string): StdioCommand {
  const { mcpServers } = JSON.parse(block) as { mcpServers: { iii: { args: string[] } } }
  const { command, args } = stdioBridge(stack.engineUrl)
  const program = args.slice(0, args.indexOf('--url'))
  const words = mcpServers.iii.args.map((word) => word.replace('ws://127.0.0.1:49134', stack.engineUrl))
  return { command, args: [...program, ...words] }
}

const AUDIENCES: readonly [words: string[], tools: string[]][] = [
  [[], [...BUILTINS, 'demo__hello', 'demo__hidden', 'demo__user']],
  [['--tier', 'user', '--no-builtins'], ['demo__user']],
  [['--expose-all'], [...BUILTINS, 'demo__hello', 'demo__hidden', 'demo__user']],
]

scenario(
  ['local/desktop'],
  'the block for Claude Desktop starts a server, for users and for developers too',
  async () => {
    const metadata = { 'mcp.expose': true, 'mcp.tier': 'user' }
    const user = stack.worker.registerFunction('demo::user', () => 'for users', { metadata })
    await stack.worker.ready()
    await Promise.all(
      AUDIENCES.map(async ([words, tools]) => {
        await using server = startStdio(toCommand(toBlock(...words)))
        await server.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT })
        expect(namesOf((await server.request('tools/list')).result ?? {})).toEqual(tools)
        const { result } = await server.request('tools/call', { name: 'state__set', arguments: {} })
        expect(JSON.stringify(result)).toContain('is in the iii-engine internal namespace')
      }),
    )
    user.unregister()
  },
)

const CLIENT = { name: 'claude-ai', version: '0.1.0' }

const GATES: readonly [what: string, line: string, shown: string][] = [
  [
    'a hidden function',
    `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"demo__hidden","arguments":{}}}' \\
  | jq '.result.content[0].text'`,
    "Error: Function 'demo::hidden' is not exposed via mcp.expose metadata",
  ],
  [
    'an infra prefix',
    `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"state__set","arguments":{}}}' \\
  | jq '.result.content[0].text'`,
    "Error: Function 'state::set' is in the iii-engine internal namespace and is not exposed as an MCP tool",
  ],
  [
    'a builtin with --no-builtins',
    `curl -sX POST http://127.0.0.1:3111/mcp -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"iii_trigger_void","arguments":{"function_id":"demo::hello","payload":{}}}}' \\
  | jq '.result.content[0].text'`,
    "Error: Tool 'iii_trigger_void' is disabled on this server",
  ],
]

scenario(['local/gates'], '4: each gate says why, after a restart with --no-builtins, and nothing runs', async () => {
  await stack.stop('mcp')
  await stack.startBridge(['--require-expose', '--no-builtins'])
  const before = ran
  for (const [what, line, text] of GATES) {
    const { shown, body } = await runCurl(line, stack.httpUrl)
    expect([what, JSON.parse(shown)]).toEqual([what, text])
    expect(JSON.parse(body)).toMatchObject({ result: { isError: true } })
  }
  expect(ran).toBe(before)
})
