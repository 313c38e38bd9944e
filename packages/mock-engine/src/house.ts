import { install } from './builtins/define.ts'
import { listenerFamilies } from './builtins/listener-workers.ts'
import { pubsubFamily } from './builtins/pubsub-worker.ts'
import type { Bus } from './bus/bus.ts'
import type { FrameTap } from './bus/frame-tap.ts'
import type { Channels } from './channels/channels.ts'
import { declareOwnSettings } from './configuration/builtin-settings.ts'
import { withConfigWatch } from './configuration/config-watch.ts'
import type { ConfigurationStore } from './configuration/configuration-store.ts'
import { configurationFamily } from './configuration/configuration-worker.ts'
import { createCron } from './cron/cron-worker.ts'
import { pollFunctions } from './engine-functions/availability.ts'
import { engineFamily } from './engine-functions/engine-functions-worker.ts'
import type { Faults } from './faults/faults.ts'
import type { Defects } from './generation/defects.ts'
import { applyHttpSettings, formatHttpSettings, type HttpSettings } from './http/http-settings.ts'
import { httpFamily } from './http/http-worker.ts'
import type { Routes } from './http/routes.ts'
import type { LogStore } from './observability/log-store.ts'
import { observabilityFamily } from './observability/observability-worker.ts'
import type { ResolvedOptions } from './options.ts'
import { queueFamily } from './queue/queue-worker.ts'
import { createTopics } from './queue/topics.ts'
import { stateFamily } from './state/state-worker.ts'
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
