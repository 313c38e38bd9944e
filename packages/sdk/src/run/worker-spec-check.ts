import { type NamesOf, refuseMistyped } from '../suggestions/mistyped.ts'
import type { WorkerSpec } from './run-worker.ts'

const FIELDS: NamesOf<WorkerSpec<unknown>> = {
  name: true,
  version: true,
  description: true,
  command: true,
  footnote: true,
  kindOfMany: true,
  argv: true,
  env: true,
  worker: true,
  waitsItsTurn: true,
  serve: true,
  options: true,
  findConflict: true,
  refusesSharedFile: true,
}

/** @throws Fault `invalid_input` for a field, written in plain JavaScript, that was mistyped. */
export function checkWorkerSpec<T>(spec: WorkerSpec<T>): void {
  refuseMistyped('runWorker', spec, FIELDS)
}
