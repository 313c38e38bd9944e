import type { SearchFigures, SearchTimes } from './search-bench.ts'

/** What our search may not miss: of all questions that have an answer, and with the most tools that were measured. */
export const SEARCH_GATE = { recall5: 0.85, slowestCpuMs: 5, readCpuMs: 1_000, heapMiB: 40, tools: 10_000 } as const

type Wanted = readonly [holds: boolean, sentence: string]

/** What the figures miss of it, a sentence each. */
export function findMissed(figures: readonly SearchFigures[]): string[] {
  const [ours, theirs] = figures
  const recall = (side: SearchFigures | undefined) =>
    side?.kinds.find(({ kind }) => kind === 'all')?.recall[5] ?? Number.NaN
  const most = ours?.times.find(({ tools }) => tools >= SEARCH_GATE.tools)
  const wanted: readonly Wanted[] = [
    [recall(ours) >= SEARCH_GATE.recall5, `Recall@5 is ${recall(ours)}, and shall be ${SEARCH_GATE.recall5} or more`],
    [recall(ours) >= recall(theirs), `Recall@5 is ${recall(ours)}, and that of ${theirs?.name} is ${recall(theirs)}`],
    ...(most === undefined ? [[false, `It was not measured with ${SEARCH_GATE.tools} tools`] as const] : toCosts(most)),
  ]
  return wanted.flatMap(([holds, sentence]) => (holds ? [] : [sentence]))
}

function toCosts({ slowestCpuMs, readCpuMs, heapMiB }: SearchTimes): Wanted[] {
  const { slowestCpuMs: slowest, readCpuMs: read, heapMiB: heap } = SEARCH_GATE
  return [
    [
      slowestCpuMs < slowest,
      `The 99th of a hundred searches takes ${slowestCpuMs} ms of a processor, and shall take less than ${slowest}`,
    ],
    [readCpuMs < read, `All tools are read in ${readCpuMs} ms of a processor, and shall be in less than ${read}`],
    heapMiB === undefined
      ? [false, 'The heap was not measured: start it with node --expose-gc']
      : [heapMiB < heap, `They take ${heapMiB} MiB of the heap, and shall take less than ${heap}`],
  ]
}
