import { isHandle, isTimely } from './believable.ts'
import type { SessionStore } from './store.ts'
import { createTable } from './table.ts'

/** The sessions that were ended before their time, as far as all bridges of the engine know, each until it would have expired anyway. */
export interface Tombstones {
  readonly size: number
  /** Whether no session may begin, so that there is room for the ends of those that have. */
  readonly isCrowded: boolean
  /** Whether no session can be ended. */
  readonly isFull: boolean
  has(handle: string): boolean
  /** Rejects when it could not be stored; unless there is no room it holds for this process all the same. */
  add(handle: string, expiresAt: number): Promise<void>
  sweep(): void
  /** Puts what is known here and what is stored together. @throws when the store cannot be read */
  load(): Promise<void>
  observe(key: string, row: Readonly<Record<string, unknown>>): void
}

export interface TombstonesOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart'>
  readonly now: () => number
  readonly lifeMs: number
  /** So many may there be before no more sessions begin. */
  readonly most: number
  /** Told of a session that another bridge has ended. */
  readonly onLearned: (handle: string) => void
  readonly onForeign?: (key: string) => void
}

/** Each change costs what the part takes several times: the engine says what was there and what is, to who wrote it and to each bridge. */
const PER_PART = 256
/** Room for the ends of sessions that had begun before there were too many. */
const SPARE = 1.3

export function createTombstones(options: TombstonesOptions): Tombstones {
  const { store, now, lifeMs, most, onLearned, onForeign } = options
  const isOver = (seconds: number) => seconds * 1000 <= now()
  const table = createTable<number>({
    store,
    name: 'ended',
    perPart: PER_PART,
    maxParts: Math.ceil((most * SPARE) / PER_PART),
    parse(value, handle) {
      const isEnd = Number.isSafeInteger(value) && isTimely(Number(value) * 1000, now() + lifeMs)
      return isEnd && isHandle(handle) ? Number(value) : undefined
    },
    isOver,
    onLearned,
    ...(onForeign && { onForeign }),
  })
  return {
    get size() {
      return table.size
    },
    get isCrowded() {
      return table.size >= most
    },
    get isFull() {
      return table.isFull
    },
    has: (handle) => table.get(handle) !== undefined,
    add: (handle, expiresAt) => table.set(handle, Math.ceil(expiresAt / 1000)),
    sweep: table.sweep,
    load: table.load,
    observe: table.observe,
  }
}
