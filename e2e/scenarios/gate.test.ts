import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { type ConnectedClient, connectClient } from '../clients.ts'
import { requestOnce } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** One engine with three bridges: the default one, one that asks for mcp.expose, one that asks for nothing. */
const cleanup = createCleanup()
let stack: Stack
let open: ConnectedClient
let strict: ConnectedClient
let loose: ConnectedClient

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  const config = join(folder.path, 'bridge.yaml')
  await writeFile(config, 'hidden_prefixes:\n  - "secret::"\n')
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags: ['--config', config] }))
  offerFunctions()
  await stack.worker.ready({ timeoutMs: 5000 })
  const strictUrl = await startBridge('/strict', ['--require-expose'])
  const looseUrl = await startBridge('/loose', ['--expose-all'])
  open = cleanup.use(await connectClient('sdk 1.x', stack.mcpUrl))
  strict = cleanup.use(await connectClient('client 2.x', strictUrl))
  loose = cleanup.use(await connectClient('client 2.x on 2026-07-28', looseUrl))
  for (const client of [open, strict, loose]) {
    await until(async () => (await client.listTools()).some(({ name }) => name === 'demo__hello'), {
      what: 'demo__hello',
    })
  }
})
afterAll(() => cleanup.run())

async function startBridge(path: string, flags: readonly string[]): Promise<string> {
  const child = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--api-path', path, ...flags])))
  const url = `${stack.httpUrl}${path}`
  await until(async () => (await requestOnce(url, 'ping')) !== undefined, {
    what: `${child.name} at ${url}`,
    deadlineMs: 20_000,
  })
  return url
}

/** Functions for the gate to judge, each of which tells when it ran. */
const ran: string[] = []
function offer(id: string, metadata: Record<string, unknown>): { unregister(): void } {
  return stack.worker.registerFunction(id, () => ({ content: `${id} ran ${ran.push(id)}` }), { metadata })
}

function offerFunctions(): void {
  offer('demo::plain', {})
  offer('demo::closed', { 'mcp.expose': false })
  offer('demo::closed_nested', { mcp: { expose: false } })
  offer('demo::inner', { 'mcp.expose': true, internal: true })
  offer('secret::key', { 'mcp.expose': true })
  offer('STATE::shout', { 'mcp.expose': true })
  offer('configuration::mine', { 'mcp.expose': true })
  offer('demo.dotted::id', { 'mcp.expose': true })
  // The last one: who sees it sees them all.
  offer('demo::hello', { 'mcp.expose': true })
}

async function namesOf(client: ConnectedClient): Promise<string[]> {
  return (await client.listTools()).map(({ name }) => name)
}

async function refusalOf(client: ConnectedClient, tool: string): Promise<string> {
  const before = ran.length
  const result = await client.callTool(tool, { scope: 'skills', key: 'x' })
  expect(ran.length, `${tool} ran`).toBe(before)
  expect(result.isError).toBe(true)
  expect(result.content[0]?.text).toMatch(/^Error: /)
  return result.content[0]?.text ?? ''
}

const INTERNAL = [
  'state__set',
  'engine__functions__list',
  'skills__register',
  'prompts__list',
  'mcp__handler',
  'STATE__shout',
  'configuration__mine',
  'demo__inner',
]
for (const tool of INTERNAL) {
  scenario(['gate/internal'], `${tool} is neither listed nor callable, whatever the flags`, async () => {
    for (const client of [open, strict, loose]) {
      expect(await namesOf(client)).not.toContain(tool)
      expect(await refusalOf(client, tool)).toContain(
        'is in the iii-engine internal namespace and is not exposed as an MCP tool',
      )
    }
  })
}

for (const tool of ['demo__closed', 'demo__closed_nested']) {
  scenario(['gate/not-exposed'], `${tool} says expose: false and is neither listed nor callable`, async () => {
    for (const client of [open, strict]) {
      expect(await namesOf(client)).not.toContain(tool)
      expect(await refusalOf(client, tool)).toContain('is not exposed via mcp.expose metadata')
    }
  })
}

scenario(
  ['gate/require-expose'],
  'a function that says nothing is served by default, and not with --require-expose',
  async () => {
    expect(await namesOf(open)).toContain('demo__plain')
    expect((await open.callTool('demo__plain')).content[0]?.text).toContain('demo::plain ran')
    expect(await namesOf(strict)).not.toContain('demo__plain')
    expect(await refusalOf(strict, 'demo__plain')).toContain(
      "Function 'demo::plain' is not exposed via mcp.expose metadata",
    )
    expect(await namesOf(strict)).toEqual(expect.arrayContaining(['demo__hello', 'skill__fetch']))
    expect((await strict.callTool('demo__hello')).isError).toBeFalsy()
  },
)

scenario(
  ['gate/operator-prefix', 'config/file'],
  'a function under a hidden prefix of the file is gone, elsewhere it is there',
  async () => {
    expect(await namesOf(open)).not.toContain('secret__key')
    expect(await refusalOf(open, 'secret__key')).toContain('is disabled on this server')
    expect(await namesOf(strict)).toContain('secret__key')
  },
)

const SECTIONS: readonly [string, RegExp][] = [
  ['iii://fn/state/get', /is in an internal namespace and cannot back a skill resource/],
  ['iii://fn/skills/list', /is in an internal namespace and cannot back a skill resource/],
  ['iii://fn/STATE/shout', /is in an internal namespace and cannot back a skill resource/],
  ['iii://fn/demo/inner', /is in an internal namespace and cannot back a skill resource/],
  ['iii://fn/demo/closed', /is not exposed via mcp.expose metadata/],
  ['iii://fn/secret/key', /'secret::key' is disabled on this server/],
]
for (const [uri, refusal] of SECTIONS) {
  scenario(['gate/sections'], `${uri} is refused to a reader and to skill__fetch`, async () => {
    const before = ran.length
    await expect(open.readResource(uri)).rejects.toThrow(refusal)
    for (const input of [{ uri }, { uris: ['iii://skills', uri] }]) {
      const fetched = await open.callTool('skill__fetch', input)
      expect(fetched.isError).toBe(true)
      expect(fetched.content[0]?.text).toMatch(refusal)
    }
    expect(ran.length).toBe(before)
  })
}

scenario(
  ['gate/sections', 'resources/section'],
  'an open section is served, and with --require-expose only an exposed one',
  async () => {
    expect((await open.readResource('iii://fn/demo/plain'))[0]?.text).toContain('demo::plain ran')
    expect((await strict.readResource('iii://fn/demo/hello'))[0]?.text).toContain('demo::hello ran')
    await expect(strict.readResource('iii://fn/demo/plain')).rejects.toThrow('is not exposed via mcp.expose metadata')
  },
)

scenario(
  ['gate/prompts'],
  'a prompt with a hidden handler is not there, one with an unexposed handler is',
  async () => {
    const register = (name: string, function_id: string) =>
      stack.worker.trigger({ function_id: 'prompts::register', payload: { name, description: name, function_id } })
    await register('secret', 'secret::key')
    await register('fine', 'demo::closed')
    // The registry would not take this one; a store may hold it all the same.
    const leak = {
      name: 'leak',
      description: 'leak',
      arguments: [],
      function_id: 'state::get',
      registered_at: '2026-01-02T03:04:05Z',
    }
    await stack.worker.trigger({ function_id: 'state::set', payload: { scope: 'prompts', key: 'leak', value: leak } })
    const hasLeak = async () => {
      const rows = await stack.worker.trigger<{ prompts: { name: string }[] }>({ function_id: 'prompts::list' })
      return rows.prompts.some(({ name }) => name === 'leak')
    }
    await until(hasLeak, { what: 'the registry to know the row', deadlineMs: 5000 })
    expect((await open.listPrompts()).map(({ name }) => name).slice(0, 2)).toEqual(['fine', 'register-function'])
    expect((await strict.listPrompts()).map(({ name }) => name).slice(0, 2)).toEqual(['fine', 'secret'])
    await expect(open.getPrompt('leak')).rejects.toThrow('is in an internal namespace and cannot back a prompt')
    await expect(open.getPrompt('secret')).rejects.toThrow('is disabled on this server')
    expect((await strict.getPrompt('fine')).messages).toMatchObject([
      { content: { text: expect.stringContaining('demo::closed ran') } },
    ])
  },
)

scenario(
  ['tools/naming'],
  'an id with a dot has a name that hosts accept, and its call finds the way back',
  async () => {
    const names = await namesOf(open)
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
    const name = names.find((candidate) => /^demo_dotted__id___[0-9a-f]{8}$/.test(candidate))
    expect((await open.callTool(name ?? 'none')).content[0]?.text).toContain('demo.dotted::id ran')
  },
)

scenario(['gate/fresh', 'tools/live'], 'a function comes, is hidden and leaves, and the gate follows', async () => {
  const first = offer('demo::fickle', { 'mcp.expose': true })
  await until(async () => (await namesOf(strict)).includes('demo__fickle'), {
    what: 'the new tool',
    deadlineMs: 30_000,
  })
  expect((await strict.callTool('demo__fickle')).isError).toBeFalsy()
  first.unregister()
  const second = offer('demo::fickle', {})
  const isRefused = async () => (await strict.callTool('demo__fickle')).content[0]?.text?.includes('is not exposed')
  await until(isRefused, { what: 'the tool to be refused', deadlineMs: 5000 })
  second.unregister()
  await until(
    () =>
      open.callTool('demo__fickle').then(
        () => false,
        (error: Error) => error.message.includes('Unknown tool'),
      ),
    {
      what: 'the tool to be unknown',
      deadlineMs: 30_000,
    },
  )
})
