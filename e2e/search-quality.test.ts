import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  measureQuality,
  NO_ANSWER,
  openMiniSearch,
  openOurs,
  readCorpus,
  readGolden,
  type Search,
  toEntries,
} from './search-quality.ts'

const entries = toEntries(readCorpus())
const golden = readGolden()
const answered = golden.filter(({ kind }) => kind !== NO_ANSWER)
const known = new Set(entries.map(({ functionId }) => functionId))

/** Descriptions with fewer letters are poor: a word or two, an abbreviation, or none at all. */
const POOR_LETTERS = 13

/** Who changes a file here measures anew, and writes what is found then into the documents. */
const FROZEN = [
  ['corpus.v1.yaml', '3bdb80732092aeb6ac79116b0f8387555829c02bde6abcf2b680e8f335c65dd9'],
  ['golden.v1.yaml', 'a1a8f94cd95938e5c4711fa5beb6ece2b6cc2e6be87febdaa6b7c1737060bf7e'],
] as const

describe('the frozen corpus', () => {
  it.each(FROZEN)('has not been reworded: %s', (name, sha256) => {
    const bytes = readFileSync(new URL(`search/${name}`, import.meta.url))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  })

  it('has 300 functions of 25 namespaces, and 150 questions about them', () => {
    expect(entries).toHaveLength(300)
    expect(new Set(entries.map(({ functionId }) => functionId.split('::')[0])).size).toBe(25)
    expect(golden).toHaveLength(150)
    expect(golden.flatMap(({ grades }) => [...grades.keys()]).filter((id) => !known.has(id))).toEqual([])
  })

  it('does not tell of one function in five what it is for', () => {
    const descriptions = readCorpus().map(({ description }) => description)
    expect(descriptions.filter((description) => description === undefined)).toHaveLength(7)
    expect(descriptions.filter((description = '') => description.length < POOR_LETTERS)).toHaveLength(
      entries.length / 5,
    )
  })

  it('is read as it is written: a comma in a description does not end it', () => {
    const schemas = readCorpus().map(({ requestSchema }) => requestSchema as { properties: object })
    expect(schemas.filter(({ properties }) => '0' in properties)).toEqual([])
  })

  it('asks in every way that people do', () => {
    const kinds = new Map<string, number>()
    for (const { kind } of golden) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    expect(Object.fromEntries(kinds)).toEqual({
      plain: 40,
      paraphrased: 35,
      'by parameter': 20,
      inflected: 15,
      mistyped: 10,
      'two intents': 10,
      [NO_ANSWER]: 20,
    })
    expect(golden.flatMap(({ grades }) => [...grades.values()]).every((grade) => [0, 1, 2].includes(grade))).toBe(true)
    expect(answered.filter(({ grades }) => ![...grades.values()].includes(2))).toEqual([])
    expect(golden.filter(({ kind, grades }) => kind === NO_ANSWER && grades.size > 0)).toEqual([])
  })
})

function toAd(description: string): (typeof entries)[number] {
  const tool = { name: 'ads__best', description, inputSchema: { type: 'object' } }
  const [entry] = entries
  if (entry === undefined) throw new Error('no corpus')
  const json = JSON.stringify(tool)
  return { ...entry, name: tool.name, json: { inlined: json, shared: json } }
}

describe('the search', () => {
  let ours: Search
  beforeAll(async () => {
    ours = await openOurs(entries)
  })

  it('finds what was asked for among the first five, no more seldom than MiniSearch', () => {
    const { recall } = measureQuality(answered, ours)
    const { recall: theirs } = measureQuality(answered, openMiniSearch(entries))
    expect(recall[5]).toBeGreaterThanOrEqual(0.907)
    expect(recall[5]).toBeGreaterThanOrEqual(theirs[5])
  })

  it('finds what is asked for in plain words among the first three', () => {
    const plain = golden.filter(({ kind }) => kind === 'plain')
    expect(measureQuality(plain, ours).recall[3]).toBeGreaterThanOrEqual(0.95)
  })

  it('reaches every tool by its own name', () => {
    const missed = entries.filter(({ name, functionId }) => !ours(name).slice(0, 3).includes(functionId))
    expect(missed.map(({ name }) => name)).toEqual([])
  })

  it('is not led by tools that say every word that anybody asks for', async () => {
    const words = [...new Set(golden.flatMap(({ query }) => query.split(' ')))].join(' ')
    const ads = Array.from({ length: 10 }, (_, at) => ({ ...toAd(words), functionId: `ads${at}::best` }))
    const among = await openOurs([...entries, ...ads])
    const lost = measureQuality(answered, ours).recall[5] - measureQuality(answered, among).recall[5]
    expect(lost).toBeLessThan(0.04)
    const led = answered.filter(({ query }) => among(query)[0]?.startsWith('ads'))
    expect(led.length / answered.length).toBeLessThan(0.02)
  })

  it('finds the same each time, in whatever order the tools came', async () => {
    const answers = golden.map(({ query }) => ours(query))
    for (let time = 0; time < 10; time += 1) {
      const turned = [...entries.slice(time * 30), ...entries.slice(0, time * 30)]
      const again = await openOurs(turned)
      expect(golden.map(({ query }) => again(query))).toEqual(answers)
    }
  })
})
