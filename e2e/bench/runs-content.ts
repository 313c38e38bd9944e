import { STATE_SCOPES } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { hasFunctions } from '../facts.ts'
import { fillerProgram } from '../programs.ts'
import { until } from '../until.ts'
import type { Arena } from './arena.ts'
import { DESCRIPTION, REQUEST_FORMAT } from './bridge-tools.ts'

/** As much as the records keep where nobody sets them otherwise, on a large engine. */
export const FUNCTION_COUNT = 2_000
export const RUNS = 500
export const CALLS = 5_000

const CALLS_OF_A_BATCH = 100
/** Writing them takes its time on a busy machine. */
const FILLED_MS = 120_000

export function toTaskId(number: number): string {
  return `bench-tasks::task-${String(number % FUNCTION_COUNT).padStart(4, '0')}`
}

function toTaskIds(): string[] {
  return Array.from({ length: FUNCTION_COUNT }, (_, number) => toTaskId(number))
}

/** Tasks that need one another like the branches of a tree: of the last one a dozen are below it. */
export async function registerTasks(worker: Worker): Promise<void> {
  for (let number = 0; number < FUNCTION_COUNT; number += 1) {
    const needs = number === 0 ? [] : [toTaskId(number >> 1)]
    worker.registerFunction(toTaskId(number), (payload) => payload, {
      description: DESCRIPTION,
      request_format: REQUEST_FORMAT,
      metadata: {
        mcp: { expose: true, title: `Task ${number}`, annotations: { readOnlyHint: true } },
        runs: { depends_on: needs, cache: { ttl_ms: 60_000, version: '1' }, job: number === FUNCTION_COUNT - 1 },
      },
    })
  }
  await until(() => hasFunctions(worker, toTaskIds()), { what: 'the tasks to be registered', deadlineMs: FILLED_MS })
}

/** @returns the last run */
export async function writeRuns({ stack, start }: Pick<Arena, 'stack' | 'start'>): Promise<string> {
  const filler = start(fillerProgram(stack.engineUrl, RUNS, toTaskIds()))
  const [, last = ''] = await filler.line(/^written (\w+)$/, FILLED_MS)
  return last
}

/** Tells of calls as a bridge does, and waits until they are written down. */
export async function tellCalls(worker: Worker): Promise<void> {
  const begin = Date.now() - CALLS
  for (let first = 0; first < CALLS; first += CALLS_OF_A_BATCH) {
    const calls = Array.from({ length: CALLS_OF_A_BATCH }, (_, at) => toCall(first + at, begin))
    await worker.trigger({ function_id: 'runs::on-call', payload: { version: 1, via: 'mcp::bench', calls } })
  }
  await until(async () => (await countCalls(worker)) >= CALLS, { what: 'the calls to be kept', deadlineMs: FILLED_MS })
}

async function countCalls(worker: Worker): Promise<number> {
  const payload = { scope: STATE_SCOPES.runs.index, key: 'calls' }
  const head = await worker.trigger<{ entries?: number } | null>({ function_id: 'state::get', payload })
  return head?.entries ?? 0
}

function toCall(number: number, begin: number) {
  return {
    version: 1,
    call_id: `mcp::bench::${number}`,
    kind: 'tool',
    session: `session-${number % 20}`,
    client: { name: 'bench', version: '1' },
    tool: toTaskId(number).replace('::', '__'),
    function_id: toTaskId(number),
    started_at: new Date(begin + number).toISOString(),
    ms: 12,
    outcome: 'ok',
    bytes_in: 40,
    bytes_out: 60,
    input: { customer: 'Ada', quantity: number },
  }
}
