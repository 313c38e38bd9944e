import { isRecord, type JsonObject } from '@iii/protocol'
import type { ToolEntry } from '../catalog/tool-entry.ts'
import { toWords } from './words.ts'

/** What a tool says. */
export interface Words {
  /** How much each word counts, by where and how often it is said. */
  readonly counts: ReadonlyMap<string, number>
  /** How long the text is, in words of the weight of their places, each as often as it is said. */
  readonly length: number
}

/** What a word counts in the name of a tool, in its title, and anywhere else. */
const WEIGHTS = { name: 3, title: 2, text: 1 }
/** Words beyond that many of one place are not looked at: a page is no description. */
const MAX_WORDS = 600
/** Who says a word more often in one place says no more with it, but a longer text. */
const MAX_TIMES = 2
const MAX_TEXT_LENGTH = 8_192
const MAX_DEPTH = 4

/** The words of a tool as clients see it in a list: of its id, title, description, and of the names, descriptions and values of its arguments. */
export function countWords({ json }: Pick<ToolEntry, 'json'>): Words {
  const { name, title, description, inputSchema } = JSON.parse(json.inlined) as JsonObject
  const counts = new Map<string, number>()
  let length = 0
  const add = (text: unknown, weight: number) => {
    if (typeof text !== 'string') return
    const here = new Map<string, number>()
    for (const word of toWords(text.slice(0, MAX_TEXT_LENGTH)).slice(0, MAX_WORDS)) {
      here.set(word, (here.get(word) ?? 0) + 1)
      length += weight
    }
    for (const [word, times] of here) counts.set(word, (counts.get(word) ?? 0) + weight * Math.min(times, MAX_TIMES))
  }
  add(String(name).replace(/___[0-9a-f]{8}$/, ''), WEIGHTS.name)
  add(title, WEIGHTS.title)
  // A tool that says nothing of itself is described by its name.
  if (description !== name) add(description, WEIGHTS.text)
  add(readArguments(inputSchema).join('\n'), WEIGHTS.text)
  return { counts, length }
}

/** Names, titles, descriptions and words of a list of values, of all arguments. */
function readArguments(schema: unknown, depth = 0): string[] {
  if (!isRecord(schema) || depth > MAX_DEPTH) return []
  const { properties, items, enum: values } = schema
  const named = isRecord(properties) ? Object.entries(properties) : []
  return [
    ...named.flatMap(([name, property]) => [name, ...readTexts(property), ...readArguments(property, depth + 1)]),
    ...readArguments(items, depth + 1),
    ...(Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []),
  ]
}

function readTexts(property: unknown): string[] {
  if (!isRecord(property)) return []
  return [property['title'], property['description']].filter((text) => typeof text === 'string')
}
