import { until } from '../until.ts'
import type { Arena, Scene } from './arena.ts'
import { connectWriter, post } from './bridge-eras.ts'
import { createHttpCaller } from './http-caller.ts'
import type { BenchSubject } from './measure.ts'
import { CALLS, FUNCTION_COUNT, RUNS, registerTasks, tellCalls, toTaskId, writeRuns } from './runs-content.ts'

const SIZE = `${RUNS} runs, ${CALLS} calls and ${FUNCTION_COUNT} functions`

/** The tools that look, with as much in the store as they keep, called by a worker and by a client of a bridge. */
export const runsScene: Scene = {
  workers: ['runs', 'bridge'],
  benches: [
    { title: `runs: looks of a worker at ${SIZE}, beside one state::get`, inFlight: [1], open: openOnBus },
    { title: `runs: looks of an MCP client at ${SIZE}, beside a ping`, inFlight: [1], open: openOverMcp },
  ],
}

const filled = new WeakMap<Arena, Promise<string>>()

/** @returns a run */
function fill(arena: Arena): Promise<string> {
  const run = filled.get(arena) ?? fillStore(arena)
  filled.set(arena, run)
  return run
}

async function fillStore(arena: Arena): Promise<string> {
  const { worker } = arena.stack
  await registerTasks(worker)
  const run = await writeRuns(arena)
  await tellCalls(worker)
  return run
}

/** Every look, the widest that can be asked for. */
function toRequests(run: string): [string, object][] {
  const task = toTaskId(FUNCTION_COUNT - 1)
  return [
    ['list_tasks', {}],
    ['graph', {}],
    ['explain_task', { task }],
    ['metadata', {}],
    ['list_runs', { limit: 100 }],
    ['read_run', { run_id: run }],
    ['diff_inputs', { task }],
    ['doctor', {}],
  ]
}

async function openOnBus(arena: Arena): Promise<readonly BenchSubject[]> {
  const { worker, children } = arena.stack
  const requests = toRequests(await fill(arena))
  const pid = children.get('runs')?.pid
  const row = { scope: 'bench', key: 'none' }
  return [
    { name: 'one state::get', run: () => worker.trigger({ function_id: 'state::get', payload: row }) },
    ...requests.map(([name, payload]) => ({
      name,
      ...(pid === undefined ? {} : { pid }),
      run: () => worker.trigger({ function_id: `runs::${name}`, payload }),
    })),
  ]
}

async function openOverMcp(arena: Arena): Promise<readonly BenchSubject[]> {
  const { mcpUrl, children } = arena.stack
  const requests = toRequests(await fill(arena))
  const write = await connectWriter('stateless', mcpUrl)
  const toMessage = async ([name, args]: [string, object]) => {
    const message = write('tools/call', { name: `runs__${name}`, arguments: args })
    await until(async () => isAnswer((await post(mcpUrl, message)).text), { what: `${name} to answer` })
    return { name, message }
  }
  const messages = await Promise.all(requests.map(toMessage))
  const pid = children.get('runs')?.pid
  return [
    { name: 'ping', run: createHttpCaller(mcpUrl, { jsonrpc: '2.0', id: 1, method: 'ping' }) },
    ...messages.map(({ name, message }) => ({
      name,
      ...(pid === undefined ? {} : { pid }),
      run: createHttpCaller(mcpUrl, message.body, message.headers),
    })),
  ]
}

function isAnswer(text: string): boolean {
  return text.includes('"structuredContent"') && !text.includes('"isError":true')
}
