import { randomUUID } from 'node:crypto'
import { startMockEngine } from '@iii/mock-engine'
import { MCP_ON_CALL, McpCallBatch, type McpCallRecord } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { type BridgeSetup, startBridge, type TestBridge } from './bridge.ts'
import { untilAnswer } from './until.ts'

/** A function that is bound to `mcp::on-call`. */
export interface CallListener {
  readonly batches: readonly McpCallBatch[]
  calls(): McpCallRecord[]
  /** Waits for a record that is about this, and hands out the last one. */
  hear(what: Partial<McpCallRecord>): Promise<McpCallRecord>
  unbind(): void
}

export interface ListenerOptions {
  readonly id?: string
  /** Runs for each batch, before it is acknowledged. */
  readonly onBatch?: () => unknown
  readonly onMetadata?: (metadata: unknown) => void
  /** Of the binding. */
  readonly metadata?: Record<string, unknown>
}

export async function listenToCalls(
  worker: Worker,
  config: object = {},
  { id = 'listener::on-call', onBatch, onMetadata, metadata = {} }: ListenerOptions = {},
): Promise<CallListener> {
  const batches: McpCallBatch[] = []
  worker.registerFunction(id, async (event: unknown, beside: unknown) => {
    batches.push(McpCallBatch.parse(event))
    onMetadata?.(beside)
    await onBatch?.()
    return {}
  })
  const { unregister } = worker.registerTrigger({ type: MCP_ON_CALL, function_id: id, config, metadata })
  await worker.ready()
  const calls = () => batches.flatMap((batch) => batch.calls)
  return {
    batches,
    calls,
    async hear(what) {
      const found = () => calls().findLast((call) => Object.entries(what).every(([key, value]) => call[key] === value))
      const heard = await untilAnswer(
        async () => found(),
        (call) => call !== undefined,
      )
      if (heard === undefined) throw new Error('unreachable')
      return heard
    },
    unbind: unregister,
  }
}

/** Waits until calls of this bridge are heard. */
export async function isHeard(bridge: Pick<TestBridge, 'rpc'>, { calls }: CallListener): Promise<void> {
  const name = `probe_${randomUUID()}`
  const isOurs = async () => {
    await bridge.rpc('tools/call', { name })
    return calls().some(({ tool }) => tool === name)
  }
  await untilAnswer(isOurs, (heard) => heard)
}

/** An engine, a bridge, and a function that hears of its calls. */
export async function startFeedStage(config: object = {}, setup: BridgeSetup = {}) {
  const engine = await startMockEngine()
  const bridge = await startBridge(engine, setup)
  const listener = await listenToCalls(bridge.other, config)
  await isHeard(bridge, listener)
  return {
    engine,
    bridge,
    listener,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}
