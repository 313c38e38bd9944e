import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { type BridgeOptions, bridgeOptions } from '../options.ts'
import { BRIDGE_LIMITS, serveBridge } from '../worker.ts'
import { createStdioClient, type StdioClient } from './stdio-client.ts'

/** A bridge in this process that a client speaks to over stdin and stdout; the engine may be there or not. */
export interface StdioBridge extends StdioClient, AsyncDisposable {
  readonly worker: Worker
}

export function startStdioBridge(engineUrl: string, setup: { http?: boolean; locked?: string } = {}): StdioBridge {
  const log = createLog({ name: 'mcp', level: 'silent' })
  const client = createStdioClient()
  const worker = registerWorker(engineUrl, { name: 'mcp', log })
  const defaults = Object.entries(bridgeOptions).map(([name, spec]) => [name, (spec as { default: unknown }).default])
  const settings = {
    value: Object.fromEntries(defaults) as BridgeOptions,
    locked: setup.locked === undefined ? undefined : { file: '/etc/iii/mcp.yaml', reason: setup.locked },
    onChange: () => () => undefined,
  }
  const facts = { version: '1.2.3', limits: BRIDGE_LIMITS, http: setup.http ?? false, client: client.streams }
  const served = serveBridge(worker, settings, log, facts)
  // Without an engine it is never ready.
  served.ready?.catch(() => undefined)
  return {
    ...client,
    worker,
    async [Symbol.asyncDispose]() {
      await served.close()
      await worker.shutdown()
    },
  }
}
