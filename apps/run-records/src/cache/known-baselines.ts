import type { RunRow } from '../record/run-record.ts'
import type { Baseline, KnownBaseline } from './stored.ts'

/** A client is told what differs from its own runs: names in the inputs of others would tell of runs that it is not shown. */
export function toKnownBaselines(
  baselines: ReadonlyMap<string, Baseline>,
  { via, principal }: Pick<RunRow, 'via' | 'principal'>,
): ReadonlyMap<string, KnownBaseline> {
  const isKnown = (baseline: Baseline) => via !== 'mcp' || baseline.principal === principal
  return new Map([...baselines].map(([task, baseline]) => [task, isKnown(baseline) ? baseline : {}]))
}
