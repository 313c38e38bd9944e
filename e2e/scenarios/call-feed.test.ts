import {
  MCP_ON_CALL,
  McpCallBatch,
  type McpCallRecord,
  readMcpSidecar,
  toViaIds,
  type VisibleAnswer,
} from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions, requestOnce } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const CANARY = 'hunter2-canary'
const cleanup = createCleanup()
let stack: Stack
let listeners = 0

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  worker.registerFunction('feed::greet', () => ({ hello: 'you' }))
  worker.registerFunction('feed::off', () => 1, {
    metadata: { mcp: { expose: false, refusal: 'Start the worker with --allow-off' } },
  })
  worker.registerFunction('feed::ask', ({ ids }: { ids: string[] }, metadata) => {
    const { call_id, via = '' } = readMcpSidecar(metadata) ?? {}
    return worker.trigger({ function_id: toViaIds(via).visible, payload: { call_id, function_ids: ids } })
  })
  await until(() => hasFunctions(worker, ['feed::ask']), { what: 'the functions to be there' })
})
afterAll(() => cleanup.run())

/** Binds a function of the test's own. @returns what it was told */
async function listen(config: object): Promise<McpCallBatch[]> {
  const batches: McpCallBatch[] = []
  const function_id = `feed::listener-${listeners++}`
  stack.worker.registerFunction(
    function_id,
    (event: unknown) => {
      batches.push(McpCallBatch.parse(event))
      return {}
    },
    { metadata: { internal: true } },
  )
  stack.worker.registerTrigger({ type: MCP_ON_CALL, function_id, config })
  await stack.worker.ready()
  return batches
}

const find = (batches: readonly McpCallBatch[], what: Partial<McpCallRecord>) =>
  batches
    .flatMap(({ calls }) => calls)
    .find((call) => Object.entries(what).every(([key, value]) => call[key] === value))

/** Waits until the calls of a bridge are heard. @returns the prefix of that bridge */
function heardFrom(batches: readonly McpCallBatch[], mcpUrl = stack.mcpUrl, probe = 'feed__nobody'): Promise<string> {
  const name = `${probe}_${listeners++}`
  return until(
    async () => {
      await requestOnce(mcpUrl, 'tools/call', { name })
      return batches.find(({ calls }) => calls.some(({ tool }) => tool === name))?.via
    },
    { what: `calls at ${mcpUrl} to be heard of` },
  )
}

scenario(['feed/told', 'feed/secrets'], 'a call is told when it is over, without what is secret in it', async () => {
  const [plain, curious] = [await listen({}), await listen({ inputs: true })]
  for (const batches of [plain, curious]) await heardFrom(batches)
  const session = await openSession(stack.mcpUrl)
  const input = { day: 'today', password: CANARY, headers: { authorization: `Bearer ${CANARY}` } }
  for (const name of ['feed__greet', 'feed__off']) {
    await postRequest(stack.mcpUrl, session, 'tools/call', { name, arguments: input }).over
  }
  const told = await until(() => find(curious, { tool: 'feed__off' }), { what: 'the calls to be told' })
  expect(told).toMatchObject({ outcome: 'refused', code: 'not_exposed', function_id: 'feed::off' })
  const greet = find(curious, { tool: 'feed__greet' })
  expect(greet).toMatchObject({
    kind: 'tool',
    client: { name: 'raw', version: '1' },
    outcome: 'ok',
    input: { day: 'today', password: '<secret>', headers: { authorization: '<secret>' } },
    session: told.session,
  })
  const same = await until(() => find(plain, { tool: 'feed__greet' }), { what: 'the other one to be told' })
  expect({ ...greet, input: undefined }).toEqual({ ...same, input: undefined })
  expect(same).not.toHaveProperty('input')
  const { stdout = [], stderr = [] } = stack.children.get('mcp') ?? {}
  const all = JSON.stringify([plain, curious, stdout, stderr])
  expect(all).not.toContain(CANARY)
  expect(all).not.toContain(session['mcp-session-id'])
})

scenario(
  ['feed/bridges'],
  'a subscriber that comes or stays hears of every bridge, also when the last one is killed',
  async () => {
    const early = await listen({})
    const first = await heardFrom(early)
    const program = bridgeProgram(stack.engineUrl, ['--api-path', '/other'])
    const other = startChild({ ...program, name: 'other mcp' })
    const otherUrl = `${stack.httpUrl}/other`
    await until(async () => (await requestOnce(otherUrl, 'ping')) !== undefined, { what: 'the second bridge' })
    const late = await listen({})
    for (const batches of [early, late]) {
      expect(await heardFrom(batches)).toBe(first)
      expect(await heardFrom(batches, otherUrl)).not.toBe(first)
    }
    other.signal('SIGKILL')
    await other.exited
    expect(await heardFrom(early)).toBe(first)
    expect(await heardFrom(await listen({}))).toBe(first)
  },
)

scenario(
  ['feed/visible', 'gate/own-refusal'],
  'a function asks what its caller may see, and one that hides says why',
  async () => {
    const ids = ['feed::greet', 'feed::off', 'state::set', 'nobody::there']
    const call = { name: 'feed__ask', arguments: { ids } }
    const result = (await requestOnce(stack.mcpUrl, 'tools/call', call)) as { structuredContent: VisibleAnswer }
    expect(result.structuredContent).toEqual({ visible: ['feed::greet'], max_result_bytes: 100_000 })
    const via = await heardFrom(await listen({}))
    const payload = { call_id: 'nobody', function_ids: ids }
    expect(await stack.worker.trigger({ function_id: toViaIds(via).visible, payload })).toEqual({ visible: [] })
    expect(await requestOnce(stack.mcpUrl, 'tools/call', { name: 'feed__off' })).toEqual({
      content: [{ type: 'text', text: 'Error: Start the worker with --allow-off' }],
      isError: true,
    })
  },
)
