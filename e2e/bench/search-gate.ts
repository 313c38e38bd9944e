import type { SearchFigures } from './search-bench.ts'

/** What our search may not miss: of all questions that have an answer, and with the most tools that were measured. */
export const SEARCH_GATE = { recall5: 0.85, slowestCpuMs: 5, tools: 10_000 } as const

/** What the figures miss of it, a sentence each. */
export function findMissed(figures: readonly SearchFigures[]): string[] {
  const [ours, theirs] = figures
  const recall = (side: SearchFigures | undefined) =>
    side?.kinds.find(({ kind }) => kind === 'all')?.recall[5] ?? Number.NaN
  const most = ours?.times.find(({ tools }) => tools >= SEARCH_GATE.tools)
  const wanted: readonly [holds: boolean, sentence: string][] = [
    [recall(ours) >= SEARCH_GATE.recall5, `Recall@5 is ${recall(ours)}, and shall be ${SEARCH_GATE.recall5} or more`],
    [recall(ours) >= recall(theirs), `Recall@5 is ${recall(ours)}, and that of ${theirs?.name} is ${recall(theirs)}`],
    [most !== undefined, `It was not measured with ${SEARCH_GATE.tools} tools`],
    [
      most === undefined || most.slowestCpuMs < SEARCH_GATE.slowestCpuMs,
      `The 99th of a hundred searches takes ${most?.slowestCpuMs} ms of a processor, and shall take less than ${SEARCH_GATE.slowestCpuMs}`,
    ],
  ]
  return wanted.flatMap(([holds, sentence]) => (holds ? [] : [sentence]))
}
