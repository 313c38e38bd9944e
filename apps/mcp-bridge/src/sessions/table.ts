import { createPartWrites, type PartWrites } from './part-writes.ts'
import type { PartRow, SessionStore } from './store.ts'

/**
 * What all bridges of an engine know by name, in memory and in parts of bounded size: the store tells what it has in one message, and
 * a part is read by its key. Parts are begun in order, so the first ones that are missing are the end. A change touches the members
 * that it is about, so whatever bridges do at once, nothing is lost.
 */
export interface Table<T> {
  readonly size: number
  /** Whether no more can be stored. */
  readonly isFull: boolean
  get(name: string): T | undefined
  entries(): IterableIterator<[string, T]>
  /** Rejects when it could not be stored; unless the table is full it holds for this process all the same. What is set while a part is written goes with the next write. */
  set(name: string, value: T): Promise<void>
  delete(name: string): Promise<void>
  /** Forgets what is over, here and in the store. */
  sweep(): void
  /** Takes in what is stored, and stores again what the store has lost. @throws when the store cannot be read */
  load(): Promise<void>
  /** Takes in a part that some bridge has written. */
  observe(key: string, row: PartRow): void
}

export interface TableOptions<T> {
  readonly store: Pick<SessionStore, 'part' | 'changePart'>
  /** What the keys of its parts begin with. */
  readonly name: string
  readonly perPart: number
  readonly maxParts: number
  /** Undefined for what no bridge writes: whoever reaches the engine can write here. */
  readonly parse: (member: unknown, name: string) => T | undefined
  /** @default as it is */
  readonly format?: (value: T) => unknown
  readonly isOver: (value: T) => boolean
  /** Which of two values for a name is the later one. @default the one that is known */
  readonly isLater?: (value: T, than: T) => boolean
  /** Told of each change; `before` or `after` is undefined for one that comes or goes. */
  readonly onChange?: (name: string, after: T | undefined, before: T | undefined) => void
  /** Told of what another bridge has written. */
  readonly onLearned?: (name: string, value: T) => void
  /** Told of a part that has something in it that no bridge writes. */
  readonly onForeign?: (key: string) => void
}

interface Entry<T> {
  readonly part: number
  readonly value: T
}

const FIRST_READ = 4
const MOST_READ = 128
const STORED_AT_ONCE = 8_192
/** Bridges that fill a part at once put more into it than one alone. What is beyond that no bridge has written. */
const FILLED_AT_ONCE = 4

export function createTable<T>(options: TableOptions<T>): Table<T> {
  const { store, name: prefix, maxParts, isOver, format = (value: T): unknown => value } = options
  const writes = createPartWrites(store, prefix)
  const { all, room, put, take } = createMembers(options, writes)

  function takeStored(part: number, row: PartRow, stored: Set<string>): void {
    const names = take(part, row)
    for (const name of names) stored.add(name)
    for (const name of names.filter((each) => !all.has(each)).slice(0, STORED_AT_ONCE)) writes.drop(part, name)
  }

  return {
    get size() {
      return all.size
    },
    get isFull() {
      return room.find() >= maxParts
    },
    get: (name) => all.get(name)?.value,
    *entries() {
      for (const [name, { value }] of all) yield [name, value]
    },
    set(name, value) {
      const part = all.get(name)?.part ?? room.find()
      if (part >= maxParts) return Promise.reject(new Error(`The table '${prefix}' is full`))
      put(name, value, part)
      return writes.change(part, name, format(value))
    },
    async delete(name) {
      const known = all.get(name)
      if (known === undefined) return
      put(name, undefined, known.part)
      await writes.change(known.part, name, undefined)
    },
    sweep() {
      for (const [name, { part, value }] of all) {
        if (!isOver(value)) continue
        put(name, undefined, part)
        writes.drop(part, name)
      }
    },
    async load() {
      const stored = new Set<string>()
      const read = (part: number) => store.part(`${prefix}-${part}`)
      await readParts({ read, known: room.parts, most: maxParts, take: (part, row) => takeStored(part, row, stored) })
      const lost = [...all].filter(([name]) => !stored.has(name))
      for (let at = 0; at < lost.length; at += STORED_AT_ONCE) {
        const some = lost.slice(at, at + STORED_AT_ONCE)
        await Promise.all(some.map(([name, { part, value }]) => writes.change(part, name, format(value))))
      }
    },
    observe(key, row) {
      const part = key.startsWith(`${prefix}-`) ? Number(key.slice(prefix.length + 1)) : Number.NaN
      if (Number.isInteger(part) && part >= 0 && part < maxParts) take(part, row)
    },
  }
}

/** What a table knows, and in which part each member is. */
function createMembers<T>(options: TableOptions<T>, writes: PartWrites) {
  const { parse, isOver, isLater = () => false, onChange, onLearned, onForeign } = options
  const mostOfPart = options.perPart * FILLED_AT_ONCE
  const all = new Map<string, Entry<T>>()
  const room = createRoom(options.perPart)

  function put(name: string, value: T | undefined, part: number): void {
    const before = all.get(name)
    if (before !== undefined) room.free(before.part)
    if (value === undefined) all.delete(name)
    else {
      all.set(name, { part, value })
      room.take(part)
    }
    onChange?.(name, value, before?.value)
  }

  /** Two bridges may have put it into different parts at once: everybody takes it out of the later one. */
  function rehome(name: string, { part, value }: Entry<T>, other: number): number {
    if (part === other) return part
    writes.drop(Math.max(part, other), name)
    put(name, value, Math.min(part, other))
    return Math.min(part, other)
  }

  function learn(name: string, value: T, part: number): void {
    const known = all.get(name)
    const home = known === undefined ? part : rehome(name, known, part)
    if (known !== undefined && !isLater(value, known.value)) return
    put(name, value, home)
    onLearned?.(name, value)
  }

  /** @returns the names that are in it */
  function take(part: number, row: PartRow): string[] {
    const names = Object.keys(row).filter((name) => name !== 'key')
    const members = names.flatMap((name) => {
      const value = parse(row[name], name)
      return value === undefined ? [] : [{ name, value }]
    })
    if (members.length < names.length || members.length > mostOfPart) onForeign?.(`${options.name}-${part}`)
    room.bar(part, names.length > mostOfPart)
    const good = members.filter(({ value }) => !isOver(value)).slice(0, mostOfPart)
    for (const { name, value } of good) learn(name, value, part)
    return names
  }

  return { all, room, put, take }
}

interface Reading {
  readonly read: (part: number) => Promise<PartRow | undefined>
  /** So many there are at least. */
  readonly known: number
  readonly most: number
  readonly take: (part: number, row: PartRow) => void
}

/** Reads parts until none is there: a few at first, since most tables are small, then more and more at once. */
async function readParts({ read, known, most, take }: Reading): Promise<void> {
  let isEnd = false
  for (
    let [first, count] = [0, FIRST_READ];
    first < most && !isEnd;
    first += count, count = Math.min(first, MOST_READ)
  ) {
    const rows = await Promise.all(Array.from({ length: count }, (_, at) => read(first + at)))
    for (const [at, row] of rows.entries()) if (row !== undefined) take(first + at, row)
    isEnd = first + count >= known && rows.every((row) => row === undefined)
  }
}

/** Knows which parts have room, the first of them first: so parts are begun in order. */
function createRoom(perPart: number) {
  const sizes: number[] = []
  const barred = new Set<number>()
  /** No part before it has room. */
  let first = 0
  return {
    /** How many have been begun. */
    get parts() {
      return sizes.length
    },
    take(part: number): void {
      sizes[part] = (sizes[part] ?? 0) + 1
    },
    free(part: number): void {
      sizes[part] = (sizes[part] ?? 1) - 1
      first = Math.min(first, part)
    },
    /** Puts nothing more into a part as long as each write of it would cost what somebody else has in it. */
    bar(part: number, isFilled: boolean): void {
      if (isFilled) barred.add(part)
      else if (barred.delete(part)) first = Math.min(first, part)
    },
    find(): number {
      while ((sizes[first] ?? 0) >= perPart || barred.has(first)) first += 1
      return first
    },
  }
}
