import { startMockEngine } from '@iii/mock-engine'
import { registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'
import { startManaged } from '../testing/managed-bridge.ts'
import { startStdioBridge } from '../testing/stdio-bridge.ts'
import { MANAGEMENT_TOOLS } from './tool-table.ts'

const NAMES = MANAGEMENT_TOOLS.map(({ name }) => name)
const HTTP_ONLY = 'This tool requires stdio transport (worker/trigger management is not available over HTTP)'

/** An input that every tool would take, if it were not for what a test is about. */
const INPUT = {
  language: 'node',
  code: '() => 1',
  function_name: 'made::x',
  id: 'none',
  trigger_type: 'cron',
  function_id: 'orders::note',
  config: { expression: '0 0 0 1 1 *' },
  payload: {},
}

type Flags = { noBuiltins: boolean; httpBuiltins: boolean; allowRun: boolean }
const FLAGS: Flags[] = [false, true].flatMap((noBuiltins) =>
  [false, true].flatMap((httpBuiltins) => [false, true].map((allowRun) => ({ noBuiltins, httpBuiltins, allowRun }))),
)

/** What a tool says, by the rules of the seed and nothing of the code. */
function expectRefusal(name: string, isStdio: boolean, flags: Flags): RegExp | undefined {
  const manages = name.includes('worker') || name.includes('register')
  if (flags.noBuiltins) return /is disabled on this server$/
  if (!isStdio && !flags.httpBuiltins) return /is disabled on this server$/
  if (!isStdio && manages) return /requires stdio transport/
  if (manages && !flags.allowRun) return /was not allowed to do; whoever runs it can allow it/
  return undefined
}

async function offerNote(engine: { url: string }): Promise<Worker> {
  const other = registerWorker(engine.url, { name: 'other' })
  other.registerFunction('orders::note', () => 1)
  await other.ready()
  return other
}

describe('the management tools', () => {
  it('have the names, descriptions and arguments of iii mcp 0.3.2', () => {
    const facts = MANAGEMENT_TOOLS.map(({ name, row }) => {
      const { properties, required } = row['inputSchema'] as { properties: object; required: string[] }
      return [name, row['description'], Object.keys(properties), required]
    })
    const worker = ['language', 'code', 'function_name']
    expect(facts).toEqual([
      ['iii_worker_register', 'Register a new worker (Node.js or Python)', [...worker, 'description'], worker],
      ['iii_worker_stop', 'Stop a worker', ['id'], ['id']],
      [
        'iii_trigger_register',
        'Attach an http/cron/queue trigger to a function',
        ['trigger_type', 'function_id', 'config'],
        ['trigger_type', 'function_id', 'config'],
      ],
      ['iii_trigger_unregister', 'Unregister a trigger', ['id'], ['id']],
      [
        'iii_trigger_void',
        'Fire-and-forget function invocation',
        ['function_id', 'payload'],
        ['function_id', 'payload'],
      ],
      [
        'iii_trigger_enqueue',
        'Enqueue to named queue',
        ['function_id', 'payload', 'queue'],
        ['function_id', 'payload'],
      ],
    ])
  })

  it.each(FLAGS)('over HTTP with %j are listed and answer as the flags say', async (flags) => {
    await using engine = await startMockEngine()
    await using other = await offerNote(engine)
    expect(other.state).toBe('connected')
    await using bridge = await startBridge(engine, { options: flags })
    const listed = (await bridge.toolNames()).filter((name) => NAMES.includes(name))
    expect(listed).toEqual(flags.httpBuiltins && !flags.noBuiltins ? NAMES : [])
    for (const name of NAMES) {
      const refusal = expectRefusal(name, false, flags)
      const { content, isError = false } = await bridge.call(name, INPUT)
      expect(isError, `${name}: ${content[0]?.text}`).toBe(name.endsWith('enqueue') || refusal !== undefined)
      if (refusal !== undefined) expect(content[0]?.text).toMatch(refusal)
    }
  })

  it.each(FLAGS)('over stdio with %j are listed and answer as the flags say', async (flags) => {
    await using engine = await startMockEngine()
    await using other = await offerNote(engine)
    expect(other.state).toBe('connected')
    await using managed = await startManaged(engine.url, { options: flags })
    const { tools } = await managed.bridge.result<{ tools: { name: string }[] }>('tools/list')
    expect(tools.map(({ name }) => name).filter((name) => NAMES.includes(name))).toEqual(flags.noBuiltins ? [] : NAMES)
    for (const name of NAMES) {
      const refusal = expectRefusal(name, true, flags)
      // No process is needed to see that one would be started.
      const { text } = await managed.call(name, { ...INPUT, language: 'ruby' })
      if (refusal === undefined) expect(text).not.toMatch(/--allow-run|disabled|stdio/)
      else expect(text).toMatch(refusal)
    }
  })

  it.each([
    ['iii_worker_register', 'runs code on this machine'],
    ['iii_worker_stop', 'stops workers that run on this machine'],
    ['iii_trigger_unregister', 'changes the triggers of the engine'],
  ])('say what they do where it is not allowed: %s %s', async (name, does) => {
    await using engine = await startMockEngine()
    await using managed = await startManaged(engine.url, { options: { allowRun: false } })
    const { text } = await managed.call(name, INPUT)
    expect(text).toContain(
      `Tool '${name}' ${does}, which this server was not allowed to do; whoever runs it can allow it`,
    )
  })

  it('are refused for the seed’s reason when they come past HTTP by the bus', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { httpBuiltins: true, allowRun: true } })
    const payload = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'iii_worker_stop', arguments: INPUT },
    }
    const answer = await bridge.other.trigger({ function_id: 'mcp::handler', payload })
    expect(JSON.stringify(answer)).toContain(HTTP_ONLY)
  })

  it('are listed while the engine is away', async () => {
    await using bridge = startStdioBridge('ws://127.0.0.1:9', { options: { noBuiltins: false } })
    await bridge.open()
    const { tools } = await bridge.result<{ tools: { name: string }[] }>('tools/list')
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
  })

  it('come and go with the settings, and clients hear of it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { meta, headers } = stateless('subscriptions/listen')
    const params = { notifications: { toolsListChanged: true }, _meta: meta }
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    const events = await openEvents(bridge.url, postInit(message, headers))
    expect(await events.nextMessage()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    expect(await bridge.toolNames()).toEqual([])
    bridge.set({ httpBuiltins: true })
    expect(await events.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await bridge.toolNames()).toEqual(NAMES)
    bridge.set({ httpBuiltins: true, noBuiltins: true })
    expect(await events.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await bridge.toolNames()).toEqual([])
    events.leave()
  })

  it('belong to the client on stdio where both are served', async () => {
    await using engine = await startMockEngine()
    await using other = await offerNote(engine)
    expect(other.state).toBe('connected')
    await using managed = await startManaged(engine.url, { http: true })
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'iii_worker_stop', arguments: INPUT },
    }
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetch(`${engine.httpUrl}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
    expect(await response.text()).toContain('is disabled on this server')
    expect((await managed.call('iii_worker_stop', INPUT)).text).toBe('Error: Worker not found: none')
  })
})

const HIDDEN: readonly [string, RegExp][] = [
  ['state::set', /is in the iii-engine internal namespace/],
  ['STATE::set', /is in the iii-engine internal namespace/],
  ['engine::functions::list', /is in the iii-engine internal namespace/],
  ['skills::register', /is in the iii-engine internal namespace/],
  ['mcp::handler', /is in the iii-engine internal namespace/],
  ['iii-http::on-config-change', /is in the iii-engine internal namespace/],
  ['publish', /is in the iii-engine internal namespace/],
  ['orders::plumbing', /is in the iii-engine internal namespace/],
  ['secret::key', /'secret::key' is disabled on this server/],
  ['orders::closed', /is not exposed via mcp\.expose metadata/],
  ['orders::nobody', /is not registered on the engine/],
]
const HTTP = { api_path: '/made', http_method: 'POST' }
const PATHS: readonly [string, (id: string) => [string, object]][] = [
  ['the target of void', (id) => ['iii_trigger_void', { function_id: id, payload: {} }]],
  ['the target of enqueue', (id) => ['iii_trigger_enqueue', { function_id: id, payload: {} }]],
  [
    'the target of a trigger',
    (id) => ['iii_trigger_register', { trigger_type: 'http', function_id: id, config: HTTP }],
  ],
  ...[
    { condition_function_id: 'ID' },
    { middleware_function_ids: ['orders::note', 'ID'] },
    { middleware: [{ phase: 'preHandler', function_id: 'ID' }] },
    { anything: { deep: [{ functionId: 'ID' }] } },
  ].map((more): [string, (id: string) => [string, object]] => [
    `a trigger's ${Object.keys(more)[0]}`,
    (id) => {
      const config = JSON.parse(JSON.stringify({ ...HTTP, ...more }).replaceAll('"ID"', JSON.stringify(id))) as object
      return ['iii_trigger_register', { trigger_type: 'http', function_id: 'orders::note', config }]
    },
  ]),
]

describe.each(PATHS)('%s', (_, toCall) => {
  it('reaches nothing that the gate hides', async () => {
    await using engine = await startMockEngine()
    await using other = await offerNote(engine)
    const ran: string[] = []
    const offer = (id: string, metadata = {}) => other.registerFunction(id, () => ran.push(id), { metadata })
    for (const id of ['secret::key', 'STATE::set']) offer(id)
    offer('orders::plumbing', { internal: true })
    offer('orders::closed', { 'mcp.expose': false })
    await other.ready()
    await using managed = await startManaged(engine.url, { options: { hiddenPrefixes: ['secret::'] } })
    for (const [id, refusal] of HIDDEN) {
      const { text, isError } = await managed.call(...toCall(id))
      expect({ text, isError }).toEqual({ text: expect.stringMatching(refusal), isError: true })
    }
    expect(ran).toEqual([])
    const made = await fetch(`${engine.httpUrl}/made`, { method: 'POST' })
    expect(made.status).toBe(404)
  })
})
