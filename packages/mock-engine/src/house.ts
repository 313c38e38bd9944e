import { pollFunctions } from './builtins/availability.ts'
import { configurationFamily, type OwnSettings } from './builtins/configuration.ts'
import { install } from './builtins/define.ts'
import { engineFamily } from './builtins/engine-functions.ts'
import { observabilityFamily } from './builtins/observability.ts'
import { pubsubFamily } from './builtins/pubsub.ts'
import { stateFamily } from './builtins/state.ts'
import type { Bus } from './bus/bus.ts'
import type { FrameTap } from './bus/frame-tap.ts'
import type { Channels } from './channels/channels.ts'
import { createCron } from './cron/cron-family.ts'
import { httpFamily } from './http/http-family.ts'
import { applyHttpSettings, formatHttpSettings, type HttpSettings } from './http/http-settings.ts'
import type { Routes } from './http/routes.ts'
import type { ResolvedOptions } from './options.ts'
import { queueFamily } from './queue/queue-family.ts'
import { createTopics } from './queue/topics.ts'
import { openStateFiles, type StateFiles } from './state/state-files.ts'
import { createStateStore } from './state/store.ts'

/** Everything one engine consists of, but its ports. */
export interface House {
  readonly options: ResolvedOptions
  readonly bus: Bus
  readonly channels: Channels
  readonly tap: FrameTap
  readonly routes: Routes
  readonly http: HttpSettings
}

/** Puts all built-ins on the bus. @returns a function that stops their clocks and writes what is left of the state. */
export async function furnish({ options, bus, channels, routes, http }: House): Promise<() => Promise<void>> {
  const files = await openFiles(options)
  const cron = createCron(bus)
  const topics = createTopics(bus, { pollMs: options.queuePollMs, backoffMs: options.queueBackoffMs })
  for (const family of [
    configurationFamily(bus, httpConfiguration(http)),
    cron.family,
    engineFamily(bus, channels, Date.now()),
    httpFamily(routes),
    observabilityFamily(bus, options.log),
    pubsubFamily(bus),
    queueFamily(topics),
    stateFamily(bus, files?.store ?? createStateStore()),
  ]) {
    install(bus, family)
  }
  const stopPolling = pollFunctions(bus, options.functionsPollMs)
  return async () => {
    stopPolling()
    cron.stop()
    topics.close()
    channels.close()
    bus.triggers.close()
    await files?.flush()
  }
}

async function openFiles({ dataDir, log }: ResolvedOptions): Promise<StateFiles | undefined> {
  if (dataDir === undefined) return undefined
  return await openStateFiles(dataDir, (error) => {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    log({
      level: 'error',
      message: `state cannot be written to ${dataDir} (${reason}); trying again`,
      service: undefined,
    })
  })
}

function httpConfiguration(http: HttpSettings): OwnSettings {
  return {
    id: 'iii-http',
    name: 'HTTP',
    description: 'The HTTP port: time limit, cross-origin rules, middleware.',
    read: () => formatHttpSettings(http),
    write: (value) => applyHttpSettings(http, value),
  }
}
