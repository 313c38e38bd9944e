import { startMockEngine } from '@iii/mock-engine'
import { currentTrace } from '@iii/sdk'
import { type BridgeSetup, startBridge } from './bridge.ts'
import { startCollector } from './collector.ts'

/** In arguments and results: nothing that is sent may hold it. */
export const CANARY = 'hunter2-canary'
/** The span of a host. */
export const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
export const PARENT_HEADER = `00-${PARENT.traceId}-${PARENT.spanId}-01`

/** A bridge that sends to a collector. Whoever closes it has everything there. */
export async function startTracedBridge({ options, variables, limits }: BridgeSetup = {}) {
  const collector = await startCollector()
  const engine = await startMockEngine()
  const bridge = await startBridge(engine, {
    options: { noBuiltins: true, ...options },
    ...(limits && { limits }),
    variables: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables },
  })
  const traces: (string | undefined)[] = []
  bridge.other.registerFunction('demo::hello', () => {
    traces.push(currentTrace()?.traceparent)
    return { text: 'hello' }
  })
  bridge.other.registerFunction('demo::sad', () => ({ content: [{ type: 'text', text: CANARY }], isError: true }))
  await bridge.other.ready()
  const close = () => bridge[Symbol.asyncDispose]()
  return {
    ...{ collector, bridge, traces, close },
    async [Symbol.asyncDispose]() {
      await close()
      await engine[Symbol.asyncDispose]()
      await collector[Symbol.asyncDispose]()
    },
  }
}
