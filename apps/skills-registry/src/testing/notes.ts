import type { MockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import { type RecordKind, ROW_BYTES } from '../store/record-kind.ts'
import type { ChangeEvent } from '../store/replica.ts'
import { openStore, type Store } from '../store/store.ts'
import { createTextLog } from './recorded-log.ts'

/** The plainest record that a store can hold. */
export const NoteRow = z.object({ id: z.string(), text: z.string(), registered_at: z.string() })
export type NoteRow = z.infer<typeof NoteRow>

const NoteEntry = z.object({ registered_at: z.string(), bytes: z.number() })
type NoteEntry = z.infer<typeof NoteEntry>

export const noteRecords: RecordKind<NoteRow, NoteEntry> = {
  what: 'note',
  schema: NoteRow,
  keyOf: ({ id }) => id,
  contentOf: ({ text }) => text,
  toEntry: ({ text, registered_at }) => ({ bytes: Buffer.byteLength(text), registered_at }),
  entrySchema: NoteEntry,
  sizeOf: ({ bytes }) => bytes + ROW_BYTES,
}

/** A store of notes with a connection of its own. */
export interface NoteStore extends AsyncDisposable {
  store: Store<NoteRow, NoteEntry>
  worker: Worker
  /** Everything that was announced. */
  changes: ChangeEvent[]
  /** What was logged: `warn: …`. */
  said: string[]
  keys(): Promise<string[]>
}

export interface NoteStoreOptions {
  name?: string
  pollEveryMs?: number
  startsFresh?: () => boolean
  maxMessageBytes?: number
}

export const NOTES = 'notes'

export async function openNotes(url: string, options: NoteStoreOptions = {}): Promise<NoteStore> {
  const { name = 'registry', pollEveryMs = 20, startsFresh, maxMessageBytes } = options
  const log = createTextLog()
  const worker = registerWorker(url, { name, log: createLog({ name, level: 'silent' }), maxMessageBytes })
  const changes: ChangeEvent[] = []
  const store = openStore({
    worker,
    scope: NOTES,
    timeoutMs: () => 5000,
    kind: noteRecords,
    announce: (change) => changes.push(change),
    log,
    pollEveryMs,
    ...(startsFresh === undefined ? {} : { startsFresh }),
  })
  await worker.ready({ timeoutMs: 10_000 })
  return {
    store,
    worker,
    changes,
    said: log.said,
    keys: async () => (await store.list()).map(({ key }) => key).sort(),
    async [Symbol.asyncDispose]() {
      store.close()
      await worker.shutdown()
    },
  }
}

/** Resolves when no registry says any more that it is writing. */
export async function untilQuiet(engine: Pick<MockEngine, 'call'>): Promise<void> {
  await vi.waitFor(async () => {
    const head = await engine.call('state::get', { scope: `${NOTES}::index`, key: 'head' })
    expect(Object.keys(head as object).filter((field) => field.startsWith('w'))).toEqual([])
  }, SOON)
}

const SOON = { timeout: 10_000, interval: 5 }

let lastStamp = 0

/** Stamped now, and later than every note before. */
export function note(id: string, text = 'text'): NoteRow {
  lastStamp = Math.max(lastStamp + 1, Date.now())
  return { id, text, registered_at: new Date(lastStamp).toISOString() }
}
