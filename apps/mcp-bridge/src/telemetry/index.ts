import type { Logger } from '@iii/sdk'
import type { RecordDenial } from '../auth/denied-access.ts'
import type { Meter } from '../mcp/contract.ts'
import type { TelemetryEnvironment } from './environment.ts'
import type { TelemetryOptions } from './options.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'

export { readTelemetryEnvironment, type TelemetryEnvironment } from './environment.ts'

/** Traces and metrics of what clients ask for, sent to a collector. No request ever waits for it. */
export interface Telemetry {
  readonly meter: Meter
  readonly denied: RecordDenial
  /** A session is over. @param ms how long it was */
  sessionEnded(ms: number): void
  readonly searched: Pipeline['searched']
  /** Something has happened that is no request. */
  readonly count: Pipeline['count']
  /** Tells how many streams are open. */
  watchStreams(read: () => number): void
  /** The settings have changed. */
  follow(): void
  /** Sends what waits, once. */
  close(): Promise<void>
}

export interface TelemetrySetup {
  readonly environment: TelemetryEnvironment
  readonly options: () => TelemetryOptions
  readonly version: string
  /** Tells this process from all others. */
  readonly instance: string
  readonly log: Logger
}

export function createTelemetry({ environment, options, version, instance, log }: TelemetrySetup): Telemetry {
  const meter: Meter = { measure: undefined }
  let pipeline: Pipeline | undefined
  let hasWarned = false
  let closed: Promise<unknown> = Promise.resolve()
  let countStreams = () => 0

  function isOn(): boolean {
    const { telemetry } = options()
    if (environment.isDisabled || telemetry === 'off') return false
    return telemetry === 'otlp' || environment.isNamed
  }

  function start(): Pipeline {
    if (!hasWarned) for (const problem of environment.problems) log.warn(problem)
    hasWarned = true
    log.info(toAddresses(environment), 'traces and metrics are sent')
    const resource = { 'service.version': version, 'service.instance.id': instance, ...environment.resource }
    const extra = () => options().telemetryAttributes
    return createPipeline({ environment, extra, sender: { resource, version }, streams: () => countStreams(), log })
  }

  async function stop(): Promise<void> {
    closed = Promise.all([closed, pipeline?.close()])
    pipeline = undefined
    meter.measure = undefined
    await closed
  }

  function follow(): void {
    if (!isOn()) void stop()
    else pipeline ??= start()
    meter.measure = pipeline?.measure
  }

  follow()
  return {
    meter,
    denied: (what) => pipeline?.denied(what),
    count: (...counted) => pipeline?.count(...counted),
    searched: (...told) => pipeline?.searched(...told),
    sessionEnded: (ms) => pipeline?.sessionEnded(ms),
    watchStreams(read) {
      countStreams = read
    },
    follow,
    close: stop,
  }
}

/** Without paths: some collectors have a key in theirs. */
function toAddresses({ tracesUrl, metricsUrl }: TelemetryEnvironment): object {
  const toHost = (url: string | undefined) => (url === undefined ? 'nowhere' : new URL(url).host)
  return { traces: toHost(tracesUrl), metrics: toHost(metricsUrl) }
}
