import type { BuiltinWorker } from '../bus/builtin-worker.ts'

/** Parts of the engine that offer nothing on the bus and are listed all the same. */
export function listenerWorkers(): BuiltinWorker[] {
  const nothing = { internal: true, functions: [], types: [] } as const
  return [
    { ...nothing, workerName: 'iii-telemetry', description: 'Reports of use, which this engine never sends.' },
    { ...nothing, workerName: 'iii-worker-manager', description: 'The listener that workers connect to.' },
  ]
}
