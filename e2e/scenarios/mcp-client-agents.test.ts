import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STATE_SCOPES } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { listFunctions, requestOnce } from '../facts.ts'
import { connectHost } from '../hosts.ts'
import { type ServerStageOptions, startServerStage } from '../mcp-servers/stage.ts'
import { managingBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** What agents see of MCP servers, what they can do with them, and what they cannot. */
const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge', 'runs'] }))
})
afterAll(() => cleanup.run())

const startStage = (servers: ServerStageOptions['servers'], env: Record<string, string> = {}) =>
  startServerStage({ engineUrl: stack.engineUrl, control: stack.worker, servers, env })

/** Waits until clients of the bridge are shown a tool. */
const isShown = (name: string) =>
  until(async () => JSON.stringify(await requestOnce(stack.mcpUrl, 'tools/list')).includes(`"${name}"`), { what: name })

for (const kind of CLIENT_KINDS) {
  scenario(
    ['mcp-client/tools'],
    `${kind} lists and calls the tools of a server, and hears how far a call is`,
    async () => {
      await using _stage = await startStage(() => ({}))
      await isShown('calm__count')
      await using host = await connectHost(kind, stack.mcpUrl)
      expect(await host.listTools()).toEqual(expect.arrayContaining(['calm__count', 'calm__echo']))
      expect((await host.call('calm__echo', { text: 'hello' })).content).toEqual([{ type: 'text', text: 'hello' }])
      const heard: number[] = []
      const counted = await host.call('calm__count', { to: 3 }, { onProgress: ({ progress }) => heard.push(progress) })
      expect(counted.content[0]?.text).toBe('counted to 3')
      expect(heard).toEqual([1, 2, 3])
      const failed = await host.call('calm__fail')
      expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('it failed') }] })
    },
  )
}

scenario(['mcp-client/calls'], 'a client that cancels stops the call at its server', async () => {
  await using stage = await startStage(() => ({}))
  await isShown('calm__wait')
  await using host = await connectHost('sdk 1.x', stack.mcpUrl)
  const stop = new AbortController()
  const called = host.call('calm__wait', { ms: 60_000 }, { signal: stop.signal }).catch(() => 'cancelled')
  await until(() => stage.journal().some(({ line }) => line?.includes('"wait"')), { what: 'the call to arrive' })
  stop.abort()
  expect(await called).toBe('cancelled')
  await until(() => stage.journal().some(({ what }) => what === 'gave up'), { what: 'the server to give up' })
  // At once, not when it is seen that the client has left.
  expect(stack.children.get('mcp')?.stderr.join('\n')).not.toContain('could not be told that its call is over')
})

scenario(['mcp-client/history'], 'a call of a client, and one of a worker, are in the history of calls', async () => {
  await using stage = await startStage((entry) => ({ told: entry('honest') }))
  await isShown('told__echo')
  await using client = await stack.connect('sdk 1.x')
  await client.callTool('told__echo', { text: 'by a client' })
  await stage.call('told::echo', { text: 'by a worker' })
  const isTold = async () => {
    const { runs } = await stage.call<{ runs: { function_id?: string }[] }>('runs::list_runs', { kind: 'call' })
    const told = runs.filter(({ function_id }) => function_id === 'told::echo')
    if (told.length < 2) throw new Error(JSON.stringify(told))
    return true
  }
  await until(isTold, { what: 'both calls to be told' })
})

const WORD = 'canaryword'

/** Everything that a client can list, and that stands beside the tools. */
const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']

scenario(['mcp-client/no-injection'], 'the words of a server are in no list, prompt, description or log', async () => {
  await using stage = await startStage((entry) => ({ canary: entry('canary', { word: WORD }) }))
  await isShown('canary__echo')
  await stage.call('canary::echo', { text: 'hello' })
  await using client = await stack.connect('sdk 1.x')
  const said: [string, unknown][] = []
  for (const method of LISTS) said.push([method, await requestOnce(stack.mcpUrl, method)])
  for (const uri of ['iii://skills', 'iii://functions', 'iii://context', 'iii://workers']) {
    said.push([uri, await client.readResource(uri).catch(String)])
  }
  for (const { name } of await client.listPrompts()) said.push([name, await client.getPrompt(name).catch(String)])
  for (const { function_id } of await listFunctions(stack.worker)) {
    said.push([function_id, await stage.call('engine::functions::info', { function_id })])
  }
  said.push(['log', [...stage.child.stdout, ...stage.child.stderr]])
  expect(said.filter(([, text]) => JSON.stringify(text).includes(WORD)).map(([what]) => what)).toEqual([])
})

scenario(
  ['mcp-client/operations'],
  'resources and prompts are functions where the file says so, and only there',
  async () => {
    await using stage = await startStage((entry) => ({ texts: entry('canary', { word: WORD }, { operations: true }) }))
    await stage.reaches('texts', 'ready')
    const ids = ['prompts-get', 'prompts-list', 'resources-list', 'resources-read'].map((name) => `texts::mcp::${name}`)
    await until(async () => (await stage.functionsOf('texts::mcp')).length === 4, { what: 'the operations' })
    expect(await stage.functionsOf('texts::mcp')).toEqual(ids)
    expect(await stage.functionsOf('calm::mcp')).toEqual([])
    expect(JSON.stringify(await stage.call('texts::mcp::resources-list'))).toContain(`note://${WORD}`)
    expect(JSON.stringify(await stage.call('texts::mcp::resources-read', { uri: `note://${WORD}` }))).toContain(WORD)
    expect(JSON.stringify(await stage.call('texts::mcp::prompts-list'))).toContain(WORD)
    expect(JSON.stringify(await stage.call('texts::mcp::prompts-get', { name: WORD }))).toContain(WORD)
    // Still nowhere by itself.
    for (const method of LISTS) expect(JSON.stringify(await requestOnce(stack.mcpUrl, method))).not.toContain(WORD)
  },
)

scenario(['mcp-client/trust'], 'without trust nothing is started, and the state says what to write', async () => {
  await using stage = await startStage((entry) => ({ doubtful: { ...entry('honest'), trust: undefined } }))
  const { diagnostics } = await stage.reaches('doubtful', 'untrusted')
  expect(diagnostics).toMatchObject([{ code: 'not_trusted', message: expect.stringContaining('trust: unsandboxed') }])
  // Whatever the others do meanwhile.
  await stage.call('calm::echo', { text: 'a while' })
  expect(stage.journal().filter(({ what }) => what === 'start')).toHaveLength(1)
  expect((await stage.fails('mcp-client::restart', { server: 'doubtful' })).message).toContain('trust')
  expect(stage.journal().filter(({ what }) => what === 'start')).toHaveLength(1)
})

scenario(
  ['mcp-client/authority'],
  'no function, setting or row starts, trusts, approves or changes a server',
  async () => {
    await using stage = await startStage((entry) => ({ doubtful: { ...entry('honest'), trust: undefined } }))
    const untouched = await stage.status('doubtful')
    const planted = join(stage.folder, 'planted')
    const evil = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(planted)}, '')`],
      trust: 'unsandboxed',
    }
    const wishes = [
      { server: 'doubtful', trust: 'unsandboxed' },
      { server: 'doubtful', approve: true, tools: ['*'] },
      { server: 'evil', ...evil },
      { servers: { evil, doubtful: evil } },
      { name: 'evil', config: evil },
    ]
    const own = await stage.functionsOf('mcp-client')
    // Others are told of something, and take no name.
    const asked = own.filter((id) => !/^mcp-client::on-/.test(id))
    expect(asked).toEqual(['mcp-client::restart', 'mcp-client::status'])
    for (const id of asked) {
      const { request_format } = await stage.call<{ request_format?: { properties?: object } }>(
        'engine::functions::info',
        { function_id: id },
      )
      const keys = Object.keys(request_format?.properties ?? {})
      expect(
        keys.filter((key) => key !== 'server'),
        `what ${id} takes`,
      ).toEqual([])
    }
    for (const id of [...own, 'mcp-client::approve', 'mcp-client::start', 'mcp-client::call', 'mcp-client::register']) {
      for (const wish of wishes) await stage.call(id, wish).catch(() => undefined)
    }
    const rows = ['servers', 'pins', 'approved', 'doubtful', 'evil', 'mcp-client', 'config']
    for (const scope of ['mcp-client', 'mcp-client::pins', ...Object.keys(STATE_SCOPES)]) {
      for (const key of rows) {
        await stage.call('state::set', { scope, key, value: { evil, servers: { evil } } })
        await stage.call('state::delete', { scope, key })
      }
    }
    await tryAsClient()

    // The worker has answered everything that came before.
    expect(await stage.status('doubtful')).toEqual({ ...untouched, stderr: expect.anything() })
    expect(stage.journal().filter(({ what }) => what === 'start')).toHaveLength(1)
    expect(existsSync(planted)).toBe(false)
  },
)

/** The most that a client can do: on a terminal of its own, and with leave to run code. */
async function tryAsClient(): Promise<void> {
  await using host = await connectHost('sdk 1.x', managingBridge(stack.engineUrl, ['--allow-run']))
  const tools = await host.listTools()
  expect(tools.filter((name) => name.startsWith('mcp-client'))).toEqual([])
  for (const name of ['mcp-client__restart', 'mcp-client__status', 'mcp-client__approve']) {
    const outcome = await host.call(name, { server: 'calm' }).catch(String)
    expect(typeof outcome === 'string' ? outcome : outcome.isError, name).toBeTruthy()
  }
  for (const function_id of ['mcp-client::restart', 'configuration::set', 'state::set']) {
    const sent = await host.call('iii_trigger_void', { function_id, payload: { server: 'calm' } })
    expect(sent, function_id).toMatchObject({ isError: true })
  }
}

scenario(
  ['mcp-client/file-alone'],
  'servers that are stored for the worker change nothing, and the log names the key',
  async () => {
    const id = `e2e-mcp-client-${randomUUID()}`.slice(0, 64)
    await using stage = await startStage(() => ({}), { III_WORKER_NAME: 'mcp-client', III_CONFIG_NAME: id })
    const planted = join(stage.folder, 'planted')
    const evil = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(planted)}, '')`],
    }
    const value = { servers: { evil: { ...evil, trust: 'unsandboxed' } }, pins: '/dev/null' }
    // The worker has no settings there; somebody makes some.
    await stage.call('configuration::register', { id, name: id, description: id, schema: {} })
    await stage.call('configuration::set', { id, value })
    await stage.child.line(/'servers' does not count here/)
    await stage.child.line(/'pins' does not count here/)
    await expect(stage.status('evil')).rejects.toThrow("No server 'evil'")
    expect(existsSync(planted)).toBe(false)
  },
)
