import { createLog, type Logger, registerWorker, type Worker } from '@iii/sdk'
import type { WorkerHost } from '../management/index.ts'
import { BRIDGE_LIMITS, type BridgeLimits } from '../mcp/limits.ts'
import { type BridgeOptions, bridgeOptions } from '../options.ts'
import { serveBridge } from '../worker.ts'
import { toLock } from './lock.ts'
import { createStdioClient, type StdioClient } from './stdio-client.ts'

/** A bridge without built-ins in this process that a client speaks to over stdin and stdout; the engine may be there or not. */
export interface StdioBridge extends StdioClient, AsyncDisposable {
  readonly worker: Worker
  /** Changes what the bridge finds in its settings. */
  set(change: Partial<BridgeOptions>): void
}

export interface StdioSetup {
  readonly http?: boolean
  readonly locked?: string
  readonly options?: Partial<BridgeOptions>
  readonly host?: WorkerHost
  readonly limits?: Partial<BridgeLimits>
  /** Where the bridge is. */
  readonly namespace?: string
  /** What its client shows to say who it is. */
  readonly token?: string
  readonly warn?: Logger['warn']
}

export function startStdioBridge(engineUrl: string, setup: StdioSetup = {}): StdioBridge {
  const silent = createLog({ name: 'mcp', level: 'silent' })
  const log = setup.warn === undefined ? silent : { ...silent, warn: setup.warn }
  const client = createStdioClient()
  const worker = registerWorker(engineUrl, { name: 'mcp', namespace: setup.namespace, log })
  const defaults = Object.entries(bridgeOptions).map(([name, spec]) => [name, (spec as { default: unknown }).default])
  const listeners = new Set<() => void>()
  const settings = {
    value: { ...(Object.fromEntries(defaults) as BridgeOptions), noBuiltins: true, ...setup.options },
    locked: toLock(setup.locked),
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const facts = {
    version: '1.2.3',
    limits: { ...BRIDGE_LIMITS, ...setup.limits },
    http: setup.http ?? false,
    client: client.streams,
    ...(setup.host && { host: setup.host }),
    ...(setup.token !== undefined && { token: setup.token }),
  }
  const served = serveBridge(worker, settings, log, facts)
  // Without an engine it is never ready.
  served.ready?.catch(() => undefined)
  return {
    ...client,
    worker,
    set(change) {
      settings.value = { ...settings.value, ...change }
      for (const listener of listeners) listener()
    },
    async [Symbol.asyncDispose]() {
      await served.close()
      await worker.shutdown()
    },
  }
}
