import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { isAlive, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { findPort } from '../engine-program.ts'
import { ENGINE_READY, engineProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { type StdioProcess, startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } }
const NOWHERE = 'ws://ada:lovelace@127.0.0.1:9'

async function open(bridge: StdioProcess): Promise<void> {
  expect(await bridge.request('initialize', CLIENT)).toHaveProperty('result')
  await bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
}

scenario(
  ['stdio/away'],
  'an engine that comes late is used as soon as it is there, and clients hear of it',
  async () => {
    const port = await findPort()
    await using bridge = startStdio(stdioBridge(`ws://127.0.0.1:${port}`, ['--no-builtins']))
    await open(bridge)
    expect(await bridge.request('tools/list')).toMatchObject({ result: { tools: [] } })
    await using engine = startChild(engineProgram({ enginePort: port, httpPort: 0 }))
    await engine.line(ENGINE_READY)
    await bridge.find('the news', ({ method }) => method === 'notifications/tools/list_changed')
    expect(await bridge.request('tools/call', { name: 'nobody__there' })).toMatchObject({ error: { code: -32_602 } })
    bridge.end()
    expect(await bridge.exited).toEqual({ code: 0, signal: null })
  },
)

scenario(['stdio/away'], 'a call without an engine says where it should be, and no secret of its address', async () => {
  await using bridge = startStdio(stdioBridge(NOWHERE))
  await open(bridge)
  const { result } = await bridge.request('tools/call', { name: 'orders__create' })
  expect(JSON.stringify(result)).toMatch(/ws:\/\/127\.0\.0\.1:9\/? cannot be reached.*keeps trying/)
  bridge.end()
  expect(await bridge.exited).toEqual({ code: 0, signal: null })
  expect(JSON.stringify(bridge.messages) + bridge.stderr()).not.toContain('lovelace')
})

scenario(['stdio/clean'], 'garbage in every layer leaves nothing on stdout but JSON-RPC messages', async () => {
  const { worker } = stack
  const strange = '\u2028\u0000\ud800\r\n\u001b[31m'
  worker.registerFunction('strange::text', () => strange)
  worker.registerFunction('strange::keys', () => ({ [strange]: strange, nested: { toJSON: 5 } }))
  worker.registerFunction('strange::fails', () => {
    throw new Error(strange)
  })
  await worker.ready()
  await using bridge = startStdio(stdioBridge(stack.engineUrl, ['--debug']))
  await open(bridge)
  const names = [
    'strange__text',
    'strange__keys',
    'strange__fails',
    'engine__functions__list',
    strange,
    'x'.repeat(5e4),
  ]
  for (const name of names) await bridge.request('tools/call', { name, arguments: { [strange]: strange } })
  for (const uri of [strange, 'iii://', 'iii://skills', 'http://x', 'iii://fn/strange/text']) {
    await bridge.request('resources/read', { uri })
  }
  for (const line of toGarbage()) {
    await bridge.write(line)
    expect(await bridge.request('ping')).toMatchObject({ result: {} })
  }
  bridge.end()
  expect(await bridge.exited).toEqual({ code: 0, signal: null })
  expect(bridge.strays).toEqual([])
  expect(bridge.messages.filter(({ error }) => error !== undefined).length).toBeGreaterThan(8)
  for (const line of bridge.stderr().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
})

function* toGarbage(): Generator<string | Uint8Array> {
  yield '\n\r\n \n'
  yield '\u0000\n'
  yield 'hello\n'
  yield '\uFEFF{"jsonrpc":"2.0","method":"x"}\r\n'
  yield '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n'
  yield `${'['.repeat(100_000)}\n`
  yield `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}\n`
  yield `{"jsonrpc":"2.0","id":"big","method":"ping","params":{"a":"${'x'.repeat(5 * 1024 * 1024)}"}}\n`
  yield Uint8Array.of(0xff, 0xfe, 0x0a)
  for (let seed = 1; seed < 200; seed += 40) {
    const noise = Uint8Array.from({ length: 2_000 }, (_, at) => (at * at * seed + at * 7) % 256)
    yield Buffer.concat([noise, Buffer.from('\n')])
  }
}

/** Code of somebody else in the same process: at the first signal it prints in every way there is, at the second it fails. */
const NOISE = `
  const say = () => {
    console.log('log'); console.info({ a: 1 }); console.table([1]); console.error('error'); console.trace('trace')
    process.stdout.write('raw\\n'); process.stdout.write(new Uint8Array([104, 105, 10]))
    process.emitWarning('beware', { code: 'X' })
  }
  process.once('SIGUSR2', () => {
    setInterval(say, 5).unref()
    process.once('SIGUSR2', () => { say(); Promise.reject(new Error('nobody caught this')) })
    console.error('noise begins')
  })`

scenario(['stdio/clean'], 'what else is printed, warned of or thrown in the process goes to stderr', async () => {
  const noise = `--import data:text/javascript,${encodeURIComponent(NOISE)}`
  await using bridge = startStdio(stdioBridge(stack.engineUrl), { NODE_OPTIONS: noise })
  await open(bridge)
  process.kill(bridge.pid, 'SIGUSR2')
  await until(() => bridge.stderr().includes('beware') || undefined, { what: 'the noise' })
  for (let count = 0; count < 20; count += 1) {
    expect(await bridge.request('tools/list')).toHaveProperty('result')
  }
  process.kill(bridge.pid, 'SIGUSR2')
  expect(await bridge.exited).toEqual({ code: 1, signal: null })
  expect(bridge.stderr()).toContain('nobody caught this')
  expect(bridge.strays).toEqual([])
})

scenario(
  ['stdio/locked'],
  'a malformed configuration at the start answers everything with its line and reason',
  async () => {
    await using folder = await createTempFolder()
    const file = join(folder.path, 'mcp.yaml')
    await writeFile(file, 'api_path: /mcp\nrequire_expose: maybe\n')
    await using bridge = startStdio(stdioBridge(stack.engineUrl, ['--config', file]))
    const error = { message: expect.stringMatching(/locked by its configuration: line 2: require_expose: must be/) }
    for (const method of ['initialize', 'tools/list', 'server/discover']) {
      expect(await bridge.request(method)).toMatchObject({ error })
    }
    await writeFile(file, 'require_expose: true\n')
    await until(async () => (await bridge.request('initialize', CLIENT)).result, { what: 'the mended file to be read' })
    expect(JSON.stringify(bridge.messages)).not.toContain(folder.path)
  },
)

scenario(['stdio/ends'], 'what was piped in is answered before the end, and in order', async () => {
  await using bridge = startStdio(stdioBridge(stack.engineUrl))
  stack.worker.registerFunction('echo::slow', async (input: unknown) => {
    await until(() => bridge.messages.some(({ id }) => id === 2), { what: 'the reply to the request before' })
    return input
  })
  await stack.worker.ready()
  const requests = [
    { id: 1, method: 'initialize', params: CLIENT },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'echo__slow', arguments: { a: 'b' } } },
  ]
  await bridge.write(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''))
  bridge.end()
  expect(await bridge.exited).toEqual({ code: 0, signal: null })
  expect(bridge.messages.map(({ id }) => id)).toEqual([1, 2, 3])
  expect(JSON.stringify(bridge.messages)).toContain('echo__slow')
})

for (const way of ['SIGTERM', 'SIGINT'] as const) {
  scenario(['stdio/ends'], `it ends on ${way} with a call under way, which is told`, async () => {
    stack.worker.registerFunction(`never::${way}`, () => new Promise(() => undefined))
    await stack.worker.ready()
    await using bridge = startStdio(stdioBridge(stack.engineUrl))
    await open(bridge)
    const call = bridge.request('tools/call', { name: `never__${way}` })
    await bridge.request('ping')
    const startedAt = performance.now()
    process.kill(bridge.pid, way)
    expect(await call).toMatchObject({ error: { message: expect.stringContaining('outcome of the call is unknown') } })
    expect(await bridge.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
}

scenario(
  ['stdio/ends', 'clients/goodbye'],
  'it ends on EOF with a call under way, without another word of it',
  async () => {
    stack.worker.registerFunction('never::ends', () => new Promise(() => undefined))
    await stack.worker.ready()
    await using bridge = startStdio(stdioBridge(stack.engineUrl))
    await open(bridge)
    await bridge.write('{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"never__ends"}}\n')
    await bridge.request('ping')
    const heard = bridge.messages.length
    const startedAt = performance.now()
    bridge.end()
    expect(await bridge.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect([bridge.messages.slice(heard), bridge.strays]).toEqual([[], []])
  },
)

scenario(['stdio/ends'], 'it ends when the process that started it is killed, though stdin stays open', async () => {
  const { command, args } = stdioBridge(stack.engineUrl)
  const script = `require('node:child_process').spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: [3, 'inherit', 'inherit'] })`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let log = ''
  parent.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const pid = await until(() => Number(/"pid":(\d+).*"ready"/.exec(log)?.[1]) || undefined, { what: 'the bridge' })
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await until(() => !isAlive(pid), { what: 'the bridge to end', deadlineMs: 5_000 })
  const said = 'the process that started this one has ended'
  await until(() => log.includes(said), { what: 'its last line' })
  parent.stdio[3]?.destroy()
})

scenario(
  ['stdio/ends'],
  'started without a client it says so and ends, and with --no-stdio it leaves stdin alone',
  async () => {
    await using alone = startStdio(stdioBridge(stack.engineUrl))
    alone.end()
    expect(await alone.exited).toEqual({ code: 0, signal: null })
    expect(alone.stderr()).toContain('--no-stdio serves MCP over HTTP instead')
    const ways: { flags: string[]; env: Record<string, string> }[] = [
      { flags: ['--no-stdio'], env: {} },
      { flags: [], env: { III_WORKER_NAME: 'mcp' } },
    ]
    for (const { flags, env } of ways) {
      await using server = startStdio(stdioBridge(stack.engineUrl, flags), env)
      server.end()
      await until(() => server.stderr().includes('"ready"'), { what: 'the bridge to be ready' })
      expect([isAlive(server.pid), server.messages, server.strays]).toEqual([true, [], []])
      expect((await fetch(stack.mcpUrl, { method: 'DELETE' })).status).toBe(405)
      process.kill(server.pid, 'SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
    }
  },
)
