import { Fault, type FunctionContract, readMcpSidecar } from '@iii/protocol'
import { type Settings, serveContract, type Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import { explainNoState } from '../store/no-state.ts'
import { createInspection, INSPECTIONS, type Inspection, type InspectionParts } from './inspection.ts'
import { createClientViewer, SEES_ALL, type TaskViewer } from './viewer.ts'

/** Puts the questions on the bus, each as a function; a bridge makes tools of them. */
export function serveInspection(
  worker: Worker,
  settings: Settings<Options>,
  parts: Pick<InspectionParts, 'records' | 'locks'>,
): void {
  const inspection = createInspection({ ...parts, engine: worker, options: () => settings.value })
  for (const name of Object.keys(INSPECTIONS) as (keyof Inspection)[]) {
    const answer = inspection[name] as (request: unknown, viewer: TaskViewer) => Promise<unknown>
    const contract: FunctionContract = INSPECTIONS[name]
    serveContract(
      worker,
      contract,
      (request, metadata) => explainNoState(answer(request, toViewer(worker, settings, metadata))),
      {
        guard: () => requireUsable(settings),
      },
    )
  }
}

/** What whoever calls may be shown: a client of a bridge says so in its sidecar. */
export function toViewer(worker: Worker, settings: Settings<Options>, metadata: unknown): TaskViewer {
  if (typeof metadata !== 'object' || metadata === null || !('mcp' in metadata)) return SEES_ALL
  // A sidecar that cannot be read is that of a client all the same, whose bridge nobody can ask.
  const sidecar = readMcpSidecar(metadata) ?? { call_id: 'unknown', via: 'mcp::unknown' }
  return createClientViewer(worker, sidecar, settings.value.hiddenPrefixes)
}

/** @throws Fault `unavailable` while the settings do not say what may be shown */
export function requireUsable({ locked }: Settings<Options>): void {
  if (locked !== undefined) {
    throw new Fault('unavailable', `The configuration of the worker runs is malformed: ${locked.reason}`)
  }
}
