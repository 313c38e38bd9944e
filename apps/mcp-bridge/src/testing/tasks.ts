import type { Worker } from '@iii/sdk'
import { createFingerprints } from '../sessions/fingerprint.ts'
import { createKey } from '../sessions/session-id.ts'
import { stateless, type TestBridge } from './bridge.ts'
import { untilAnswer } from './until.ts'

export type Details = Record<string, unknown> & { readonly taskId: string; readonly status: string }

export const EXTENSION = 'io.modelcontextprotocol/tasks'
export const CAN = { elicitation: {}, extensions: { [EXTENSION]: {} } }
export const TASK = { metadata: { 'mcp.task': 'optional' } }

const KEY = createKey()
/** For tasks that are served without sessions. */
const FINGERPRINTS = createFingerprints({ signing: () => KEY, find: () => Promise.resolve(KEY) })

/** With what tasks are served to a worker alone. */
export function toTaskOptions(worker: Worker) {
  return {
    worker,
    directory: { describe: () => Promise.resolve(new Map()) },
    fingerprints: FINGERPRINTS,
    via: 'mcp::x',
    log: worker.log,
    engineTimeoutMs: 2_000,
    options: () => ({ maxResultBytes: 100_000 }),
    awayMs: 0,
  }
}

/** Posts as a 2026-07-28 client that can take tasks. */
export function postWithTasks(
  bridge: TestBridge,
  method: string,
  params: Record<string, unknown>,
  capabilities: object = CAN,
) {
  const { meta, headers } = stateless(method, String(params['taskId'] ?? params['name']))
  const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities }
  return bridge.rpc(method, { ...params, _meta }, headers)
}

export async function askForResult(
  bridge: TestBridge,
  method: string,
  params: Record<string, unknown>,
): Promise<Details> {
  const { message, text } = await postWithTasks(bridge, method, params)
  if (message.result === undefined) throw new Error(`${method} failed: ${text}`)
  return message.result as Details
}

export const begin = async (bridge: TestBridge, name: string, input: object = {}) =>
  (await askForResult(bridge, 'tools/call', { name, arguments: input })).taskId
export const get = (bridge: TestBridge, taskId: string) => askForResult(bridge, 'tasks/get', { taskId })
export const over = (bridge: TestBridge, taskId: string) =>
  untilAnswer(
    () => get(bridge, taskId),
    ({ status }) => !['working', 'input_required'].includes(status),
  )

export const form = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}

/** A function that ends when it is told to. */
export function offerJob(worker: Worker, id: string, metadata: Record<string, unknown> = {}) {
  let end: (value: unknown) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const calls: unknown[] = []
  worker.registerFunction(
    id,
    (_, sidecar) => {
      calls.push(sidecar)
      return new Promise((resolve, reject) => {
        end = resolve
        fail = reject
      })
    },
    { metadata: { 'mcp.task': 'optional', ...metadata } },
  )
  /** Resolves once it is called, which has to be for the first time. */
  const called = () =>
    untilAnswer(
      () => calls.length,
      (count) => count === 1,
    )
  return { calls, called, end: (value: unknown) => end(value), fail: (error: Error) => fail(error) }
}

/** A task of such a function, once that is called. */
export async function beginJob(bridge: TestBridge) {
  const job = offerJob(bridge.other, 'jobs::run')
  await bridge.other.ready()
  const taskId = await begin(bridge, 'jobs__run')
  await job.called()
  return { job, taskId }
}

/** A place where a function waits until the test lets it pass. */
export function createGateway() {
  let pass: (value: unknown) => void = () => undefined
  let reach: () => void = () => undefined
  const opened = new Promise((resolve) => {
    pass = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  return {
    pass,
    reached,
    get passed() {
      reach()
      return opened
    },
  }
}
