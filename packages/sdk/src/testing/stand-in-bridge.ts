import { randomUUID } from 'node:crypto'
import { InputRequired, type McpSidecar } from '@iii/protocol'
import type { Worker } from '../worker/worker.ts'

/** What a function told the bridge of its call, e.g. `{ what: 'progress', progress: 1 }`. */
export type ToldBridge = { what: string; call_id: string } & Record<string, unknown>

export interface BridgeCall {
  input?: unknown
  /** Where the function is. @default where the bridge is */
  namespace?: string
  sidecar?: Partial<McpSidecar>
  /** Answers the questions of a round, by their keys. */
  answer?: (requests: InputRequired['input_requests'], round: number) => Record<string, unknown>
}

/** As much of a bridge as a function notices: it is told things, calls the function again with answers, and cancels. */
export interface StandInBridge {
  readonly via: string
  readonly told: readonly ToldBridge[]
  /** The questions of each round, as they came. */
  readonly rounds: readonly InputRequired[]
  /** Calls a function until it has a result. */
  call(functionId: string, call?: BridgeCall): Promise<unknown>
  /** Calls a function once. */
  callOnce(functionId: string, call?: BridgeCall): Promise<unknown>
}

const EVERYTHING = { elicitation: {}, sampling: {}, roots: {} }

/** @param onTold what the bridge does before it answers that it has told the client. */
export async function serveStandInBridge(
  worker: Worker,
  onTold: (told: ToldBridge) => unknown = () => undefined,
): Promise<StandInBridge> {
  const via = `mcp::${randomUUID()}`
  const told: ToldBridge[] = []
  const rounds: InputRequired[] = []
  for (const what of ['progress', 'log', 'close-stream']) {
    worker.registerFunction(`${via}::${what}`, async (payload: { call_id: string }) => {
      const entry = { what, ...payload }
      await onTold(entry)
      told.push(entry)
      return { delivered: true }
    })
  }
  await worker.ready()

  function callOnce(functionId: string, { input = {}, namespace, sidecar }: BridgeCall = {}): Promise<unknown> {
    const mcp = { call_id: 'c1', via, progress: true, client_capabilities: EVERYTHING, ...sidecar }
    return worker.trigger({ function_id: functionId, namespace, payload: input, metadata: { mcp } })
  }

  return {
    via,
    told,
    rounds,
    callOnce,
    async call(functionId, call = {}) {
      let sidecar = call.sidecar
      for (;;) {
        const result = await callOnce(functionId, { ...call, sidecar: sidecar ?? {} })
        const asked = InputRequired.safeParse(result)
        if (!asked.success) return result
        rounds.push(asked.data)
        const { input_requests: requests, request_state } = asked.data
        const input_responses = call.answer?.(requests, rounds.length) ?? {}
        sidecar = { ...call.sidecar, input_responses, ...(request_state === undefined ? {} : { request_state }) }
      }
    },
  }
}
