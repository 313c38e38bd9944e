import {
  measureQuality,
  NO_ANSWER,
  openMiniSearch,
  openOurs,
  readCorpus,
  readGolden,
  type Search,
  toEntries,
} from '../search-quality.ts'
import { layOut } from './table.ts'

/** How well and how fast tools are found, by our search and by MiniSearch on the same tools. */
export interface SearchFigures {
  readonly name: string
  readonly kinds: readonly ({ readonly kind: string } & ReturnType<typeof measureQuality>)[]
  /** Of questions that nothing answers: the share to which nothing is answered. */
  readonly empty: number
  readonly times: readonly SearchTimes[]
}

export interface SearchTimes {
  readonly tools: number
  /** How long it takes to read all of them. */
  readonly readMs: number
  readonly medianMs: number
  readonly slowestMs: number
  /** Processor time, which is the same on a busy machine. */
  readonly medianCpuMs: number
  readonly slowestCpuMs: number
  readonly readCpuMs: number
  /** How much more memory is in use then, with a garbage collector to be asked (`node --expose-gc`). */
  readonly heapMiB: number | undefined
}

const SIDES: readonly (readonly [name: string, open: (entries: Entries) => Search | Promise<Search>])[] = [
  ['ours', openOurs],
  ['MiniSearch', openMiniSearch],
]
type Entries = ReturnType<typeof toEntries>

/** Copies of the corpus: 300, and 10 200 tools. */
const SIZES = [1, 34]
const ROUNDS = 20

export async function measureSearch(): Promise<SearchFigures[]> {
  const entries = toEntries(readCorpus())
  const golden = readGolden()
  const answered = golden.filter(({ kind }) => kind !== NO_ANSWER)
  const kinds = ['all', ...new Set(answered.map(({ kind }) => kind))]
  const figures: SearchFigures[] = []
  for (const [name, open] of SIDES) {
    const search = await open(entries)
    const none = golden.filter(({ kind }) => kind === NO_ANSWER)
    const times: SearchTimes[] = []
    for (const copies of SIZES) times.push(await time(toEntries(readCorpus(copies)), open))
    figures.push({
      name,
      kinds: kinds.map((kind) => ({
        kind,
        ...measureQuality(
          answered.filter((each) => kind === 'all' || each.kind === kind),
          search,
        ),
      })),
      empty: none.filter(({ query }) => search(query).length === 0).length / none.length,
      times,
    })
  }
  return figures
}

async function time(entries: Entries, open: (entries: Entries) => Search | Promise<Search>): Promise<SearchTimes> {
  const before = readHeap()
  const [start, startCpu] = [performance.now(), process.cpuUsage()]
  const search = await open(entries)
  const [readMs, readCpuMs] = [performance.now() - start, toMs(process.cpuUsage(startCpu))]
  const after = readHeap()
  const queries = readGolden().map(({ query }) => query)
  for (const query of queries) search(query)
  const [times, cpuTimes]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const query of queries) {
      const [from, fromCpu] = [performance.now(), process.cpuUsage()]
      search(query)
      cpuTimes.push(toMs(process.cpuUsage(fromCpu)))
      times.push(performance.now() - from)
    }
  }
  return {
    tools: entries.length,
    ...{ readMs, readCpuMs },
    ...{ medianMs: pick(times, 0.5), slowestMs: pick(times, 0.99) },
    ...{ medianCpuMs: pick(cpuTimes, 0.5), slowestCpuMs: pick(cpuTimes, 0.99) },
    heapMiB: before === undefined || after === undefined ? undefined : (after - before) / 1_048_576,
  }
}

function pick(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}

function readHeap(): number | undefined {
  if (globalThis.gc === undefined) return undefined
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

export function formatSearch(figures: readonly SearchFigures[]): string {
  const head = ['', 'questions', 'R@1', 'R@3', 'R@5', 'R@10', 'MRR@10', 'nDCG@10']
  const [first] = figures
  const tools = first?.times[0]?.tools ?? 0
  const ranks = figures.flatMap(({ name, kinds }) =>
    kinds.map(({ kind, queries, recall, mrr, ndcg }) => [
      `${name}, ${kind}`,
      String(queries),
      ...[recall[1], recall[3], recall[5], recall[10], mrr, ndcg].map((share) => share.toFixed(3)),
    ]),
  )
  const empty = figures.map(({ name, empty: share }) => [name, share.toFixed(2)])
  const times = figures.flatMap(({ name, times: all }) =>
    all.map(({ tools: count, heapMiB, ...of }) => [
      name,
      String(count),
      ...[of.readMs, of.readCpuMs].map((ms) => ms.toFixed(0)),
      ...[of.medianMs, of.slowestMs, of.medianCpuMs, of.slowestCpuMs].map((ms) => ms.toFixed(3)),
      heapMiB === undefined ? '–' : heapMiB.toFixed(1),
    ]),
  )
  return [
    layOut(`what is found among ${tools} tools`, [head, ...ranks]),
    layOut('nothing is answered where nothing fits', [['', 'share'], ...empty]),
    layOut('times', [
      ['', 'tools', 'read ms', 'cpu ms', 'p50 ms', 'p99 ms', 'p50 cpu ms', 'p99 cpu ms', 'heap MiB'],
      ...times,
    ]),
  ].join('')
}
