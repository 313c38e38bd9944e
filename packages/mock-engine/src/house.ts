import { pollFunctions } from './builtins/availability.ts'
import { withConfigWatch } from './builtins/config-watch.ts'
import { configurationFamily } from './builtins/configuration.ts'
import type { ConfigurationStore } from './builtins/configuration-store.ts'
import { install } from './builtins/define.ts'
import { engineFamily } from './builtins/engine-functions.ts'
import { listenerFamilies } from './builtins/listener-families.ts'
import { observabilityFamily } from './builtins/observability.ts'
import { declareOwnSettings } from './builtins/own-settings.ts'
import { pubsubFamily } from './builtins/pubsub.ts'
import { stateFamily } from './builtins/state.ts'
import type { Bus } from './bus/bus.ts'
import type { FrameTap } from './bus/frame-tap.ts'
import type { Channels } from './channels/channels.ts'
import { createCron } from './cron/cron-family.ts'
import type { Defects } from './defects.ts'
import type { Faults } from './faults/faults.ts'
import { httpFamily } from './http/http-family.ts'
import { applyHttpSettings, formatHttpSettings, type HttpSettings } from './http/http-settings.ts'
import type { Routes } from './http/routes.ts'
import type { LogStore } from './logs/log-store.ts'
import type { ResolvedOptions } from './options.ts'
import { queueFamily } from './queue/queue-family.ts'
import { createTopics } from './queue/topics.ts'
import type { StateStore } from './state/store.ts'

/** Everything one engine consists of, but its ports. */
export interface House {
  readonly options: ResolvedOptions
  readonly bus: Bus
  readonly channels: Channels
  readonly tap: FrameTap
  readonly faults: Faults
  readonly store: StateStore
  readonly settings: ConfigurationStore
  readonly logs: LogStore
  readonly defects: Defects
  readonly routes: Routes
  readonly http: HttpSettings
}

/** Puts all built-ins on the bus. @returns a function that stops their clocks. */
export function furnish({ options, bus, channels, routes, http, store, settings, logs }: House): () => void {
  const cron = createCron(bus)
  const topics = createTopics(bus, { pollMs: options.queuePollMs, backoffMs: options.queueBackoffMs })
  settings.forgetSchemas()
  declareOwnSettings(settings, { http: () => formatHttpSettings(http), dataDir: options.dataDir })
  const applyHttp = () => applyHttpSettings(http, settings.get('iii-http'))
  for (const family of [
    configurationFamily(bus, settings),
    withConfigWatch(cron.family, { hidden: true }),
    engineFamily(bus, channels, Date.now()),
    withConfigWatch(httpFamily(routes), { hidden: true, apply: applyHttp }),
    withConfigWatch(observabilityFamily(bus, logs, options.log), { hidden: true }),
    withConfigWatch(pubsubFamily(bus), { hidden: true }),
    withConfigWatch(queueFamily(topics), { hidden: false }),
    withConfigWatch(stateFamily(bus, store), { hidden: true }),
    ...listenerFamilies(),
  ]) {
    install(bus, family)
  }
  const stopPolling = pollFunctions(bus, options.functionsPollMs)
  return () => {
    stopPolling()
    cron.stop()
    topics.close()
    channels.close()
    bus.triggers.close()
  }
}
