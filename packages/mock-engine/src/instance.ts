import { authenticate } from './access/authenticate.ts'
import { installBuiltin } from './builtins/define.ts'
import { pubsubWorker } from './builtins/pubsub-worker.ts'
import { type Bus, createBus } from './bus/bus.ts'
import { toDefects } from './bus/defects.ts'
import { createChannels } from './channels/channels.ts'
import { declareBuiltinSettings } from './configuration/builtin-settings.ts'
import { withConfigWatch } from './configuration/config-watch.ts'
import type { ConfigurationStore } from './configuration/configuration-store.ts'
import { configurationWorker } from './configuration/configuration-worker.ts'
import { openBusPort } from './connections/bus-port.ts'
import type { FrameTap } from './connections/frame-tap.ts'
import { createCron } from './cron/cron-worker.ts'
import { pollFunctions } from './engine-functions/availability.ts'
import { engineWorker, listenerWorkers } from './engine-functions/engine-functions-worker.ts'
import type { Faults } from './faults/faults.ts'
import { createEngine22 } from './generation/engine-22.ts'
import { createEngine23 } from './generation/engine-23.ts'
import { type HttpPort, openHttpPort } from './http/http-port.ts'
import { applyHttpSettings, formatHttpSettings, type HttpSettings } from './http/http-settings.ts'
import { httpWorker } from './http/http-worker.ts'
import { createHttpRoutes } from './http/routes.ts'
import type { Listening } from './listen.ts'
import { createLogStore } from './observability/log-store.ts'
import { observabilityWorker } from './observability/observability-worker.ts'
import type { ResolvedOptions } from './options.ts'
import { queueWorker } from './queue/queue-worker.ts'
import { createTopics } from './queue/topics.ts'
import { stateWorker } from './state/state-worker.ts'
import type { StateStore } from './state/store.ts'

/** An engine between two starts: nothing that is registered or under way outlives it. */
export interface Instance {
  readonly bus: Bus
  readonly http: HttpPort
  readonly ports: Ports
  /** Frees the ports and cuts every connection. */
  stop(): Promise<void>
}

export interface Ports {
  readonly bus: number
  readonly http: number
  readonly restricted: number | undefined
}

/** What outlives an instance. */
export interface Lasting {
  readonly tap: FrameTap
  readonly faults: Faults
  readonly store: StateStore
  /** What workers stored with `configuration::*`. */
  readonly settings: ConfigurationStore
}

/** @throws PortTakenError when another process has one of the ports. */
export async function startInstance(options: ResolvedOptions, lasting: Lasting): Promise<Instance> {
  const parts = createParts(options, lasting)
  const stopWorkers = installWorkers(parts)
  const open: Listening[] = []
  const stop = async () => {
    await Promise.all(open.map((listening) => listening.stop())).finally(stopWorkers)
  }
  const opened = async <L extends Listening>(opening: Promise<L>): Promise<L> => {
    const listening = await opening
    open.push(listening)
    return listening
  }
  const { bus, http: settings, routes, channels } = parts
  const { host, port, restricted } = options
  try {
    const workers = await opened(openBusPort(parts, { host, port, use: 'bus' }))
    const http = await opened(openHttpPort({ bus, channels, settings, faults: lasting.faults }, routes))
    settings.port = http.port
    const guests =
      restricted &&
      (await opened(
        openBusPort(parts, {
          host,
          port: restricted.port ?? 0,
          use: 'restricted bus',
          authenticate: (request) => authenticate(bus, restricted, request),
        }),
      ))
    return { bus, http, ports: { bus: workers.port, http: http.port, restricted: guests?.port }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Parts = ReturnType<typeof createParts>

function createParts(options: ResolvedOptions, lasting: Lasting) {
  const defects = toDefects(options.fixed)
  const generation = options.engine === '0.22' ? createEngine22() : createEngine23(options.namespaceGraceMs, defects)
  const http: HttpSettings = {
    timeoutMs: options.httpTimeoutMs,
    cors: options.cors,
    middleware: options.middleware,
    host: options.host,
    port: options.httpPort,
  }
  return {
    ...lasting,
    options,
    bus: createBus(lasting.faults, defects, generation),
    channels: createChannels(defects),
    logs: createLogStore(),
    routes: createHttpRoutes(defects),
    http,
  }
}

/** Puts the workers on the bus that live in the engine. @returns a function that stops their clocks. */
function installWorkers({ options, bus, channels, routes, http, store, settings, logs }: Parts): () => void {
  const cron = createCron(bus)
  const topics = createTopics(bus, { pollMs: options.queuePollMs, backoffMs: options.queueBackoffMs })
  settings.forgetSchemas()
  declareBuiltinSettings(settings, { http: () => formatHttpSettings(http), dataDir: options.dataDir })
  const applyHttp = () => applyHttpSettings(http, settings.get('iii-http'))
  for (const worker of [
    configurationWorker(bus, settings),
    withConfigWatch(cron.worker, { hidden: true }),
    engineWorker(bus, channels, Date.now()),
    withConfigWatch(httpWorker(routes), { hidden: true, apply: applyHttp }),
    withConfigWatch(observabilityWorker(bus, logs, options.log), { hidden: true }),
    withConfigWatch(pubsubWorker(bus), { hidden: true }),
    withConfigWatch(queueWorker(topics), { hidden: false }),
    withConfigWatch(stateWorker(bus, store), { hidden: true }),
    ...listenerWorkers(),
  ]) {
    installBuiltin(bus, worker)
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
