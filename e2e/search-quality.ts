import { readFileSync } from 'node:fs'
import MiniSearch from 'minisearch'
import { parse } from 'yaml'
import type { FunctionDetail } from '../apps/mcp-bridge/src/gate/directory.ts'
import { type ToolEntry, toToolEntry } from '../apps/mcp-bridge/src/tools/catalog/tool-entry.ts'
import { createToolIndex } from '../apps/mcp-bridge/src/tools/search/tool-index.ts'

/** How well the tools that somebody asks for are found: a frozen corpus of functions, and what is asked of it. */

/** A question, and how well functions answer it: 2 does what was asked for, 1 is of use. */
export interface GoldenQuery {
  readonly kind: string
  readonly query: string
  readonly grades: ReadonlyMap<string, number>
}

/** Questions that nothing answers. */
export const NO_ANSWER = 'no answer'

/** What a ranking is worth. Shares are between 0 and 1, and the mean of all questions. */
export interface Quality {
  readonly queries: number
  /** Of the functions that do what was asked for, how many are among the first so many. */
  readonly recall: Readonly<Record<1 | 3 | 5 | 10, number>>
  /** 1 ÷ the place of the first of them, within ten. */
  readonly mrr: number
  readonly ndcg: number
}

type Row = readonly [string | null, Readonly<Record<string, string | readonly string[] | null>>]

const folder = new URL('search/', import.meta.url)
const read = (name: string): unknown => parse(readFileSync(new URL(name, folder), 'utf8'))

/** The functions of the corpus as the engine tells of them. @param copies of each namespace, for times and not for ranks */
export function readCorpus(copies = 1): FunctionDetail[] {
  const corpus = read('corpus.v1.yaml') as Record<string, Record<string, Row>>
  return Array.from({ length: copies }, (_, copy) => (copy === 0 ? '' : `-${copy}`)).flatMap((suffix) =>
    Object.entries(corpus).flatMap(([namespace, functions]) =>
      Object.entries(functions).map(([name, row]) => toDetail(`${namespace}${suffix}::${name}`, row)),
    ),
  )
}

export function readGolden(): GoldenQuery[] {
  const golden = read('golden.v1.yaml') as Record<string, [string, Record<string, number>][]>
  return Object.entries(golden).flatMap(([kind, rows]) =>
    rows.map(([query, grades]) => ({ kind, query, grades: new Map(Object.entries(grades)) })),
  )
}

export function toEntries(details: readonly FunctionDetail[]): ToolEntry[] {
  return details.map((detail) => toToolEntry(detail))
}

function toDetail(id: string, [description, takes]: Row): FunctionDetail {
  const properties = Object.fromEntries(
    Object.entries(takes).map(([name, says]) => [
      name,
      { type: 'string', ...(says === null ? {} : typeof says === 'string' ? { description: says } : { enum: says }) },
    ]),
  )
  return {
    id,
    description: description ?? undefined,
    requestSchema: { type: 'object', properties },
    responseSchema: undefined,
    metadata: {},
  } as FunctionDetail
}

/** @returns ids of functions, the best first */
export type Search = (query: string) => readonly string[]

/** Ours, and what it takes to read the tools. */
export async function openOurs(entries: readonly ToolEntry[]): Promise<Search> {
  const index = createToolIndex()
  await index.update(entries)
  return (query) => index.search(query, 10, entries).tools.map(({ functionId }) => functionId)
}

/** MiniSearch as its own documents recommend it for people who type, with the weights that ours has. */
export function openMiniSearch(entries: readonly ToolEntry[]): Search {
  const index = new MiniSearch<Record<string, string>>({ fields: ['name', 'title', 'description', 'arguments'] })
  const toText = ({ functionId, json }: ToolEntry) => {
    const { name, title = '', description, inputSchema } = JSON.parse(json.inlined) as Record<string, string>
    return { id: functionId, name, title, description, arguments: JSON.stringify(inputSchema) } as Record<
      string,
      string
    >
  }
  index.addAll(entries.map(toText))
  const options = { boost: { name: 3, title: 2 }, prefix: true, fuzzy: 0.2 }
  return (query) =>
    index
      .search(query, options)
      .slice(0, 10)
      .map(({ id }) => String(id))
}

/** @param search what is measured */
export function measureQuality(queries: readonly GoldenQuery[], search: Search): Quality {
  const rated = queries.map(({ query, grades }) => rate(search(query).slice(0, 10), grades))
  const mean = (of: (one: ReturnType<typeof rate>) => number) =>
    rated.reduce((sum, one) => sum + of(one), 0) / Math.max(1, rated.length)
  return {
    queries: queries.length,
    recall: {
      1: mean(({ recall }) => recall(1)),
      3: mean(({ recall }) => recall(3)),
      5: mean(({ recall }) => recall(5)),
      10: mean(({ recall }) => recall(10)),
    },
    mrr: mean(({ mrr }) => mrr),
    ndcg: mean(({ ndcg }) => ndcg),
  }
}

function rate(found: readonly string[], grades: ReadonlyMap<string, number>) {
  const wanted = [...grades].flatMap(([id, grade]) => (grade === 2 ? [id] : []))
  const first = found.findIndex((id) => wanted.includes(id))
  const gain = (grade: number, at: number) => (2 ** grade - 1) / Math.log2(at + 2)
  const sum = (list: readonly number[]) => list.reduce((total, grade, at) => total + gain(grade, at), 0)
  const ideal = sum([...grades.values()].sort((a, b) => b - a))
  return {
    recall: (places: number) => found.slice(0, places).filter((id) => wanted.includes(id)).length / wanted.length,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    ndcg: sum(found.map((id) => grades.get(id) ?? 0)) / ideal,
  }
}
