import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, type ListedWorker, listWorkers } from '../facts.ts'
import { bridgeProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { type StdioProcess, startStdio } from '../stdio-process.ts'
import { askSteadily } from '../steady.ts'
import { createTwins } from '../twins.ts'
import { until } from '../until.ts'

const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } }
/** What a program has to say when nothing happens to it: that it is ready, and whatever it warns of. */
const FEW_LINES = 5
const WORKERS = 100
const FUNCTIONS = 10
const CALLS = 4_000
const AT_ONCE = 16

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack())
})
afterAll(() => cleanup.run())

async function openStdio(): Promise<StdioProcess> {
  const bridge = startStdio(stdioBridge(stack.engineUrl))
  await bridge.request('initialize', CLIENT)
  await bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return bridge
}

const bridges = async () => (await listWorkers(stack.worker)).filter(({ name }) => name?.startsWith('mcp'))
const toIds = (rows: readonly ListedWorker[]) => rows.map(({ id }) => id).sort()
const countTools = ({ result }: { result?: Readonly<Record<string, unknown>> }) =>
  (result?.['tools'] as unknown[] | undefined)?.length

/** A command as it runs where the environment is that of a worker. */
const operate = (...args: string[]) =>
  runToEnd({ ...bridgeProgram(stack.engineUrl), args, env: { III_URL: stack.engineUrl, III_WORKER_NAME: 'mcp' } })

scenario(
  ['engines/side-by-side'],
  'a bridge for everybody, two for a client each, and commands stay connected side by side, and say little',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    await using one = await openStdio()
    await using other = await openStdio()
    const lists = async () =>
      await Promise.all([one, other].map(async (bridge) => countTools(await bridge.request('tools/list'))))
    await until(async () => new Set([...(await lists()), (await client.listTools()).length]).size <= 2, {
      what: 'both bridges on stdio to list the same tools',
    })
    await until(async () => (await bridges()).length === 3, { what: 'three bridges' })
    const before = toIds(await bridges())
    const expected = [await lists(), (await client.listTools()).length]
    const steady = askSteadily(async () => [await lists(), (await client.listTools()).length])
    const commands = await Promise.all([operate('explain', 'orders::report'), operate('doctor')])
    const asked = await steady.stop()
    expect(commands.map(({ code, stdout }) => code === 0 || stdout)).toEqual([true, true])
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(({ answer }) => JSON.stringify(answer) !== JSON.stringify(expected))).toEqual([])
    expect(toIds(await bridges())).toEqual(before)
    const said = [
      stack.children.get('mcp')?.stderr ?? [],
      ...[one, other].map((bridge) => bridge.stderr().trim().split('\n')),
    ]
    expect(said.filter((lines) => lines.length >= FEW_LINES)).toEqual([])
  },
)

scenario(['engines/ready'], 'what is ready is found by everybody, a thousand times of a thousand', async () => {
  const ids = Array.from({ length: FUNCTIONS }, (_, n) => `quick::f${n}`)
  const failures: unknown[] = []
  for (let n = 0; n < WORKERS; n++) {
    await using worker = connectToEngine(stack.engineUrl, 'quick')
    for (const id of ids) worker.registerFunction(id, () => n)
    await worker.ready({ timeoutMs: 5_000 })
    const call = (function_id: string) => stack.worker.trigger({ function_id }).then((by) => by === n || by, String)
    failures.push(...(await Promise.all(ids.map(call))).filter((outcome) => outcome !== true))
  }
  expect(failures).toEqual([])
})

scenario(['engines/standby-leaves'], 'no request fails when a bridge that stood by has left', async () => {
  await using twins = createTwins(stack, 'mcp')
  const { standing } = await twins.add()
  const ping = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    return (await fetch(stack.mcpUrl, { method: 'POST', headers, body })).status
  }
  let answered = 0
  const steady = askSteadily(() => ping().finally(() => answered++))
  await standing.child.stop()
  const gone = answered
  await until(() => answered > gone + 50, { what: 'requests after it has left' })
  const asked = await steady.stop()
  expect(new Set(asked.map(({ answer }) => answer))).toEqual(new Set([200]))
  await stack.stop('mcp')
  await stack.startBridge()
})

scenario(['engines/replies'], 'thousands of calls that are answered at once are all answered', async () => {
  await using quick = connectToEngine(stack.engineUrl, 'quick')
  quick.registerFunction('quick::echo', ({ n }: { n: number }) => n)
  await quick.ready({ timeoutMs: 5_000 })
  let next = 0
  const wrong: unknown[] = []
  const line = async () => {
    for (let n = next++; n < CALLS; n = next++) {
      const answer = await stack.worker.trigger({ function_id: 'quick::echo', payload: { n } }).catch(String)
      if (answer !== n) wrong.push(answer)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, line))
  expect(wrong).toEqual([])
})
