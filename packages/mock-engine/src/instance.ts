import { type Bus, createBus } from './bus/bus.ts'
import type { FrameTap } from './bus/frame-tap.ts'
import { createChannels } from './channels/channels.ts'
import type { ConfigurationStore } from './configuration/configuration-store.ts'
import type { Faults } from './faults/faults.ts'
import { createGeneration } from './generation/create-generation.ts'
import { toDefects } from './generation/defects.ts'
import { furnish, type House } from './house.ts'
import { createRoutes } from './http/routes.ts'
import { createLogStore } from './observability/log-store.ts'
import type { ResolvedOptions } from './options.ts'
import { type OpenPorts, openPorts } from './ports.ts'
import type { StateStore } from './state/store.ts'

/** The time between two starts of an engine: nothing that is registered or under way outlives it. */
export interface Run {
  readonly bus: Bus
  readonly ports: OpenPorts
  /** Frees the ports and cuts every connection. */
  stop(): Promise<void>
}

/** What outlives a run. */
export interface Lasting {
  readonly tap: FrameTap
  readonly faults: Faults
  readonly store: StateStore
  /** What workers stored with `configuration::*`. */
  readonly settings: ConfigurationStore
}

/** @throws PortTakenError when another process has one of the ports. */
export async function startRun(options: ResolvedOptions, { tap, faults, store, settings }: Lasting): Promise<Run> {
  const defects = toDefects(options.fixed)
  const bus = createBus(faults, defects, createGeneration(options, defects))
  const house: House = {
    options,
    bus,
    tap,
    faults,
    store,
    settings,
    logs: createLogStore(),
    channels: createChannels(defects),
    defects,
    routes: createRoutes(defects),
    http: {
      timeoutMs: options.httpTimeoutMs,
      cors: options.cors,
      middleware: options.middleware,
      host: options.host,
      port: options.httpPort,
    },
  }
  const leave = furnish(house)
  try {
    const ports = await openPorts(house)
    return { bus, ports, stop: () => ports.stop().finally(leave) }
  } catch (error) {
    leave()
    throw error
  }
}
