import { afterAll, beforeAll, expect } from 'vitest'
import { requestOnce } from '../facts.ts'
import { PATHS, ROUTE } from '../gate-matrix/paths.ts'
import { FOREIGN, FOREIGN_IDS } from '../gate-matrix/reasons.ts'
import { type MatrixStage, startMatrixStage } from '../gate-matrix/stage.ts'
import { walkMatrix } from '../gate-matrix/walk-matrix.ts'
import { startServerStage } from '../mcp-servers/stage.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'
import { toCell, WIRES, type Wire, type WireClient } from '../wire-clients.ts'

/** Every way to a call × every reason against it × both transports in both eras: `gate-matrix/` says what a client reads. */
let stage: MatrixStage

beforeAll(async () => {
  stage = await startMatrixStage('http_builtins: true')
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function see(wire: Wire, ...request: Parameters<WireClient['ask']>): Promise<string> {
  return toCell(await stage.clients[wire].ask(...request))
}

for (const path of PATHS) {
  for (const wire of path.wires ?? WIRES) {
    scenario(['gate/matrix'], `${path.name}, ${wire}: each reason in its own words, and nothing is called`, () =>
      walkMatrix(stage, path, wire),
    )
  }
}

scenario(
  ['gate/matrix'],
  'after all that nothing is stored, no route is there, and nothing was called late',
  async () => {
    const { stack, ran } = stage
    const stored = await stack.worker.trigger({
      function_id: 'state::get',
      payload: { scope: 'gate-matrix', key: 'leak' },
    })
    expect(stored ?? null).toBeNull()
    expect((await fetch(`${stack.httpUrl}${ROUTE}`, { method: 'POST' })).status).toBe(404)
    expect([...new Set(ran)].sort()).toEqual(['matrix::closed', 'matrix::open', 'matrix::quiet'])
  },
)

/** What leads to a tool of an MCP server, as it does to any function. */
const FOREIGN_PATHS = [
  'tools/call',
  'resources/read of a section',
  'resources/read of iii://functions/{id}',
  'skill__fetch',
  'iii_trigger_void',
  'iii_trigger_void of skill::fetch',
]

scenario(['mcp-client/gate'], 'tools of MCP servers are judged like functions, on every wire', async () => {
  const { engineUrl, mcpUrl, worker: control } = stage.stack
  await using servers = await startServerStage({
    engineUrl,
    control,
    servers: (entry) =>
      Object.fromEntries(Object.entries(FOREIGN).map(([id, more]) => [id.split('::')[0], entry('honest', {}, more)])),
  })
  for (const id of FOREIGN_IDS) await servers.reaches(id.split('::')[0] ?? '', 'ready')
  await until(async () => JSON.stringify(await requestOnce(mcpUrl, 'tools/list')).includes('"foreign-open__echo"'), {
    what: 'the bridge to know them',
  })
  for (const path of PATHS.filter(({ name }) => FOREIGN_PATHS.includes(name))) {
    for (const wire of path.wires ?? WIRES) {
      const cells = await Promise.all(FOREIGN_IDS.map(async (id) => [id, await see(wire, ...path.toRequest(id))]))
      const expected = FOREIGN_IDS.map((id) => [id, path.expect(id, wire)])
      expect({ path: path.name, wire, cells }).toEqual({ path: path.name, wire, cells: expected })
    }
  }
  const called = servers.journal().filter(({ line }) => line?.includes('"method":"tools/call"'))
  const open = await servers.status('foreign-open')
  const groups = servers
    .journal()
    .flatMap(({ pid, ppid }) => (called.some((call) => call.pid === pid) ? (ppid ?? []) : []))
  expect(groups).toEqual([open.pid])
})

const TOOLS = [
  'worker_register',
  'worker_stop',
  'trigger_register',
  'trigger_unregister',
  'trigger_void',
  'trigger_enqueue',
]
const ENGINE_URIS = [
  'iii://functions',
  'iii://workers',
  'iii://triggers',
  'iii://context',
  'iii://functions/matrix::open',
]
const CANNED_PROMPTS = ['register-function', 'build-api', 'setup-cron', 'event-pipeline']

/** What becomes of all that the bridge has of its own. */
async function seeBuiltins(wire: Wire): Promise<readonly [what: string, cell: string][]> {
  const requests = [
    ...TOOLS.map((tool) => [`iii_${tool}`, 'tools/call', { name: `iii_${tool}`, arguments: {} }] as const),
    ...ENGINE_URIS.map((uri) => [uri, 'resources/read', { uri }] as const),
    ...CANNED_PROMPTS.map((name) => [name, 'prompts/get', { name }] as const),
  ]
  return await Promise.all(
    requests.map(async ([what, method, params]) => [what, await see(wire, method, params)] as const),
  )
}

/** Changes the settings of the bridges while they serve, and waits until those on the wires disable what was there before. */
async function set(settings: string, wires: readonly Wire[], ...request: Parameters<WireClient['ask']>): Promise<void> {
  await stage.write(settings)
  for (const wire of wires) {
    await until(async () => /is disabled on this server$/.test(await see(wire, ...request)), {
      what: `${wire} to take ${settings}`,
    })
  }
}

scenario(
  ['gate/disabled'],
  'management tools are disabled over HTTP unless --http-builtins, and nothing else is',
  async () => {
    const call = { name: 'iii_trigger_void', arguments: {} }
    await set('http_builtins: false', ['HTTP in a session'], 'tools/call', call)
    for (const wire of WIRES) {
      const off = (await seeBuiltins(wire)).filter(([, cell]) => cell.includes('disabled'))
      const text = (tool: string) => `Error: Tool 'iii_${tool}' is disabled on this server`
      expect(off).toEqual(wire.startsWith('HTTP') ? TOOLS.map((tool) => [`iii_${tool}`, text(tool)]) : [])
    }
  },
)

scenario(['gate/disabled'], '--no-builtins disables whatever the bridge has of its own, everywhere', async () => {
  const settings = 'http_builtins: true\nno_builtins: true'
  const wires: Wire[] = ['HTTP in a session', 'stdio in a session']
  await set(settings, wires, 'resources/read', { uri: 'iii://functions' })
  for (const wire of WIRES) {
    expect(await seeBuiltins(wire)).toEqual([
      ...TOOLS.map((tool) => [`iii_${tool}`, `Error: Tool 'iii_${tool}' is disabled on this server`]),
      ...ENGINE_URIS.map((uri) => [uri, `-32602 Resource '${uri}' is disabled on this server`]),
      ...CANNED_PROMPTS.map((name) => [name, `-32602 Prompt '${name}' is disabled on this server`]),
    ])
  }
})
