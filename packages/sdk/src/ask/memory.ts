import { Fault, toFault } from '@iii/protocol'
import { z } from 'zod'
import { writeJson } from '../wire/json-text.ts'

/** What a function that asks keeps from one run to the next; it travels as the `request_state` of its questions. */
export interface Memory {
  /** Answers of earlier rounds, as they came. */
  readonly answers: Map<string, unknown>
  /** What was done once, and must not be done again. */
  readonly done: Map<string, unknown>
}

/** The most that may travel, in characters: it goes through the client and back with every round. */
export const MAX_MEMORY_LENGTH = 256 * 1024

/** A key alone stands for `undefined`, which JSON does not know. */
const Entries = z.array(z.tuple([z.string()]).rest(z.unknown()))
const Stored = z.object({ answers: Entries, done: Entries })

/** Reads what {@link formatMemory} wrote; undefined for anything else. */
export function parseMemory(text: string): Memory | undefined {
  try {
    const { answers, done } = Stored.parse(JSON.parse(text))
    return { answers: toMap(answers), done: toMap(done) }
  } catch {
    return undefined
  }
}

/**
 * @returns undefined when there is nothing to keep.
 * @throws Fault `too_large`, which names the largest entry.
 */
export function formatMemory({ answers, done }: Memory): string | undefined {
  if (answers.size === 0 && done.size === 0) return undefined
  const text = JSON.stringify({ answers: toEntries(answers), done: toEntries(done) })
  if (text.length <= MAX_MEMORY_LENGTH) return text
  const parts = [
    ...[...done].map(([key, value]) => ({ what: `the result of once("${key}")`, length: lengthOf(value) })),
    ...[...answers].map(([key, value]) => ({ what: `the answer "${key}"`, length: lengthOf(value) })),
  ]
  const { what, length } = parts.reduce((largest, part) => (part.length > largest.length ? part : largest))
  throw new Fault(
    'too_large',
    `What is kept while the client is asked has ${text.length} characters, and at most ${MAX_MEMORY_LENGTH} can be kept; the largest part is ${what} with ${length}. Keep an id instead, and the rest in state`,
  )
}

/** The value as the next run finds it. @throws Fault `internal` for what JSON cannot hold, or keeps nothing of. */
export function toKept<T>(value: T, key: string): T {
  try {
    const text = writeJson(value, 'result')
    return (text === undefined ? undefined : JSON.parse(text)) as T
  } catch (cause) {
    const text = `once("${key}") has to return something that JSON can hold, because the next run gets it from there`
    throw new Fault('internal', `${text}. ${toFault(cause).message}`, { cause })
  }
}

function toMap(entries: z.infer<typeof Entries>): Map<string, unknown> {
  return new Map(entries.map(([key, value]) => [key, value]))
}

function toEntries(map: ReadonlyMap<string, unknown>): unknown[][] {
  return [...map].map(([key, value]) => (value === undefined ? [key] : [key, value]))
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
