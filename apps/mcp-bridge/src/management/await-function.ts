import { setTimeout as pause } from 'node:timers/promises'
import type { Gate } from '../gate/index.ts'
import type { McpCall, Reach } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { readProgressToken } from '../mcp/rpc.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The request that a worker is started for. */
export interface StartRequest {
  readonly call: McpCall
  readonly params: Params<'tools/call'>
}

export interface Awaited extends StartRequest {
  readonly functionId: string
  readonly gate: Gate
}

/** What came of a worker: its function is there, it has ended, or it still runs and nothing was heard of it. */
export type Settled =
  | { readonly kind: 'there' }
  | { readonly kind: 'ended'; readonly status: string }
  | { readonly kind: 'silent'; readonly seconds: number }

const LOOK_EVERY_MS = 100
const TELL_EVERY_MS = 1_000
const THERE_WITHIN_MS = 15_000

/** Waits until the function is there, and no longer than that is worth. A client that gives its call up ends the worker. */
export async function awaitFunction(
  process: WorkerProcess,
  { functionId, gate, call, params }: Awaited,
): Promise<Settled> {
  let status: string | undefined
  const ended = process.ended.then((how) => {
    status = how
  })
  const tell = createTellProgress(call.reach, params)
  const patienceMs = Math.min(THERE_WITHIN_MS, call.limits.timeoutMs / 2)
  const total = Math.ceil(patienceMs / 1_000)
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  tell(0, total, 'The worker is starting')
  let told = 0
  while (status === undefined && elapsed() < patienceMs) {
    if (call.signal.aborted) await process.stop('givenUp')
    const seen = await gate.admit(functionId, 'tool', call.principal)
    if (seen.allowed || !['unknown', 'unverified'].includes(seen.reason)) return { kind: 'there' }
    await Promise.race([ended, pause(LOOK_EVERY_MS)])
    const seconds = Math.floor(elapsed() / TELL_EVERY_MS)
    if (seconds > told && seconds < total) tell(seconds, total, `Waiting for the worker to register '${functionId}'`)
    told = Math.max(told, seconds)
  }
  return status === undefined ? { kind: 'silent', seconds: total } : { kind: 'ended', status }
}

/** Tells the client of a request how far it is, which costs nothing where the client did not ask for that. */
function createTellProgress({ notify }: Reach, params: Params<'tools/call'>) {
  const progressToken = readProgressToken(params)
  return (progress: number, total: number, message: string): void => {
    if (progressToken === undefined) return
    // Whoever has left reads nothing, and that is no trouble here.
    notify('notifications/progress', { progressToken, progress, total, message }).catch(() => undefined)
  }
}
