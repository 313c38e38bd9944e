import type { SessionStore } from './store.ts'

/** Writes changes of parts: one write at a time for a part, with all that has come while the last one was under way. */
export interface PartWrites {
  /** @param value undefined removes the member. Rejects when it could not be stored. */
  change(part: number, name: string, value: unknown): Promise<void>
  /** Removes a member that nobody misses. */
  drop(part: number, name: string): void
}

interface Writing {
  changes: Map<string, unknown>
  current: Promise<void>
  next: Promise<void> | undefined
}

/** @param prefix what the keys of the parts begin with */
export function createPartWrites(store: Pick<SessionStore, 'changePart'>, prefix: string): PartWrites {
  const all = new Map<number, Writing>()

  async function writeNext(part: number, writing: Writing): Promise<void> {
    await writing.current.catch(() => undefined)
    const { changes } = writing
    writing.changes = new Map()
    writing.next = undefined
    writing.current = store.changePart(`${prefix}-${part}`, changes)
    await writing.current
  }

  function change(part: number, name: string, value: unknown): Promise<void> {
    const writing = all.get(part) ?? { changes: new Map(), current: Promise.resolve(), next: undefined }
    all.set(part, writing)
    writing.changes.set(name, value)
    writing.next ??= writeNext(part, writing)
    return writing.next
  }

  return {
    change,
    drop: (part, name) => void change(part, name, undefined).catch(() => undefined),
  }
}
