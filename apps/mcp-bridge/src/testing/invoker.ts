import { type JsonObject, readMcpSidecar } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { EVERYBODY } from '../auth/principal.ts'
import { createDirectory } from '../gate/directory.ts'
import { createGate } from '../gate/index.ts'
import { createSight } from '../gate/sight.ts'
import { createInvoker, type FunctionCall, type Invoker } from '../invocation/index.ts'
import { createSlots } from '../invocation/slots.ts'
import type { McpCall, Reach } from '../mcp/call.ts'
import { createSeal } from '../sessions/request-state-seal.ts'

/** An invoker on an engine, and another worker whose functions it calls. */
export interface TestInvoker extends AsyncDisposable {
  readonly invoker: Invoker
  readonly other: Worker
  /** An invocation of a function of the other worker. */
  to(functionId: string, metadata?: FunctionCall['pass']['metadata'], input?: JsonObject): FunctionCall
}

export async function startInvoker(engine: { readonly url: string }, slots = 16): Promise<TestInvoker> {
  const log = createLog({ name: 'mcp', level: 'silent' })
  const worker = registerWorker(engine.url, { name: 'mcp', log })
  const other = registerWorker(engine.url, { name: 'other', log })
  const key = { id: 1, secret: Buffer.alloc(32, 7) }
  const seal = createSeal({ signing: () => key, find: async (id) => (id === key.id ? key : undefined) })
  const via = `mcp::${worker.instance}`
  const rules = () => ({ requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: ['secret::'] })
  const directory = createDirectory(worker, 2_000, createSight())
  const gate = createGate({ engine: worker, directory, rules, onLearned: () => undefined })
  const invoker = createInvoker({
    worker,
    gate,
    via,
    slots: createSlots(slots),
    seal,
    log,
    options: () => ({ maxResultBytes: 100_000 }),
  })
  await Promise.all([worker.ready(), other.ready()])
  return {
    invoker,
    other,
    to: (functionId, metadata = {}, payload = {}) => ({
      pass: {
        functionId,
        namespace: undefined,
        metadata,
        call: (input, options) => worker.trigger({ function_id: functionId, payload: input, ...options }),
      },
      payload,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([worker.shutdown(), other.shutdown()])
    },
  }
}

/** A client that writes down what it hears. */
export interface TestReach extends Reach {
  readonly heard: (readonly [method: string, params: JsonObject])[]
}

export function createReach(ask?: Reach['ask']): TestReach {
  const heard: TestReach['heard'] = []
  return {
    heard,
    ask,
    async notify(method, params) {
      heard.push([method, params])
      return true
    },
    async closeStream() {
      heard.push(['close', {}])
      return true
    },
  }
}

/** A call as a carrier makes it. */
export function toCall(own: Partial<McpCall> = {}): McpCall {
  return {
    id: 1,
    era: 'session',
    revision: '2025-11-25',
    principal: EVERYBODY,
    client: { name: 'tester', version: '9' },
    capabilities: {},
    limits: { timeoutMs: 20_000, plainMs: 10_000, replyBytes: 1_000_000 },
    session: undefined,
    attached: false,
    share: { kind: 'attached' },
    paramHeader: undefined,
    signal: new AbortController().signal,
    reach: createReach(),
    ...own,
  }
}

/** Offers a function that asks, and says in the end what it was told each time. */
export async function offerAsking(test: TestInvoker, questions: readonly object[]): Promise<unknown[]> {
  const seen: unknown[] = []
  test.other.registerFunction('orders::ask', (_, metadata) => {
    const { input_responses, request_state } = readMcpSidecar(metadata) ?? {}
    seen.push([input_responses, request_state])
    const round = request_state === undefined ? (input_responses === undefined ? 0 : 1) : Number(request_state)
    const input_requests = questions[round]
    if (input_requests === undefined) return 'done'
    return { result_type: 'input_required', input_requests, request_state: String(round + 1) }
  })
  await test.other.ready()
  return seen
}
