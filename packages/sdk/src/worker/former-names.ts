import { Fault } from '@iii/protocol'
import { type NamesOf, refuseMistyped, requireFields } from '../suggestions/mistyped.ts'
import type { RegisterWorkerOptions } from './worker.ts'

/** What options of `registerWorker` of `iii-sdk` are here, for workers that move over in plain JavaScript. */
const HERE: Readonly<Record<string, string>> = {
  workerName: "it is 'name' here",
  workerDescription: "it is 'description' here",
  invocationTimeoutMs: "it is 'callTimeoutMs' here",
  reconnectionConfig: 'this worker reconnects by itself; leave it out',
  otel: 'there is no OpenTelemetry in here; leave it out',
  enableMetricsReporting: 'there are no metrics in here; leave it out',
  telemetry: 'there is no telemetry in here; leave it out',
}

const OPTIONS: NamesOf<RegisterWorkerOptions> = {
  name: true,
  naming: true,
  namespace: true,
  description: true,
  version: true,
  callTimeoutMs: true,
  maxMessageBytes: true,
  headers: true,
  reattach: true,
  log: true,
  queue: true,
  timings: true,
  watchOwnership: true,
  defers: true,
  followsTraces: true,
}

/** @throws Fault `invalid_input` that says what an option of `iii-sdk` is here, or which was mistyped: it would be passed over without a word. */
export function refuseFormerNames(options: object): void {
  requireFields('registerWorker', options)
  for (const [name, value] of Object.entries(options)) {
    const here = Object.hasOwn(HERE, name) ? HERE[name] : undefined
    if (here === undefined || value === undefined) continue
    throw new Fault('invalid_input', `registerWorker has no option '${name}' as in iii-sdk: ${here}`)
  }
  refuseMistyped('registerWorker', options, OPTIONS)
}
