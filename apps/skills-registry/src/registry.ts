import { Fault, toFault } from '@iii/protocol'
import { InvocationError, type Logger, type StateScope } from '@iii/sdk'
import type { z } from 'zod'
import { createTurns } from './turns.ts'

/** What every stored record has beside its own fields. */
export interface Stamped {
  registered_at: string
}

/** One change of one record, as it is announced. */
export interface Mutation {
  op: 'register' | 'unregister'
  key: string
  /** False for a registration with the content that was there already. */
  changed: boolean
}

export interface RegistryOptions<Row extends Stamped, Entry> {
  /** What a record is called in messages: `skill`. */
  what: string
  /** The scope that holds the records, one under each key; asked anew for every call, because settings may change. */
  scope(): StateScope<unknown>
  schema: z.ZodType<Row>
  /** What a list shows of a record. */
  toEntry(row: Row): Entry
  /** Whether two records differ in nothing but their stamp. */
  isSame(a: Row, b: Row): boolean
  /** Gives every registration its time. */
  stamp(): string
  /** Hears of each mutation once, in the order of the writes. */
  announce(mutation: Mutation): void
  log: Logger
}

/**
 * Records in one scope of the engine's state, one row a record.
 *
 * Nothing is kept in this process: a restart loses nothing, and several registries on one store serve the same records.
 */
export interface Registry<Row extends Stamped, Entry> {
  /**
   * Reads one record: one `state::get`.
   *
   * @throws Fault with the reason when the store cannot be read, `internal` when the row is not a record.
   */
  read(key: string): Promise<Row | undefined>
  /**
   * Lists what is stored, in no particular order; rows that are no records are left out and logged.
   *
   * Lists that run at the same time share one reading of the store, unless a mutation of ours came in between: who got an
   * acknowledgement sees its record in every later list.
   *
   * @throws Fault with the reason when the store cannot be read.
   */
  list(): Promise<readonly Entry[]>
  /**
   * Stores a record under its key and stamps it; resolves when the store has accepted it.
   *
   * @throws Fault with the reason when the store did not accept it, or did not say in time.
   */
  write(key: string, content: Omit<Row, 'registered_at'>): Promise<string>
  /**
   * Removes a record; resolves to whether there was one.
   *
   * @throws Fault with the reason when the store did not accept it, or did not say in time.
   */
  remove(key: string): Promise<boolean>
}

export function createRegistry<Row extends Stamped, Entry>(options: RegistryOptions<Row, Entry>): Registry<Row, Entry> {
  const { what, scope, schema, isSame, stamp } = options
  const turns = createTurns()
  const list = createSharedList(options)

  /** Runs a write in turn; what happens to the record is announced before the next write to it starts. */
  function mutate<T>(
    key: string,
    op: Mutation['op'],
    work: () => Promise<{ result: T; changed: boolean | undefined }>,
  ) {
    const announce = (changed: boolean) => options.announce({ op, key, changed })
    return turns.take(key, async () => {
      try {
        const { result, changed } = await work()
        if (changed !== undefined) announce(changed)
        return result
      } catch (error) {
        // The write may have been done. An event too many costs a reading; one too few leaves subscribers behind for good.
        if (isOutcomeUnknown(error)) announce(true)
        throw error
      } finally {
        list.outdate()
      }
    })
  }

  return {
    async read(key) {
      const stored = await explain('state::get', () => scope().get(key))
      if (stored === undefined) return undefined
      const row = schema.safeParse(stored)
      if (row.success) return row.data
      throw new Fault('internal', `decode stored ${what} ${key}: ${toProblem(row.error)}`)
    },
    list: list.read,
    write(key, content) {
      return mutate(key, 'register', async () => {
        const registered_at = stamp()
        const row = { ...content, registered_at } as Row
        const old = schema.safeParse(await explain('state::set', () => scope().set(key, row)))
        return { result: registered_at, changed: !(old.success && isSame(old.data, row)) }
      })
    },
    remove(key) {
      return mutate(key, 'unregister', async () => {
        const removed = (await explain('state::delete', () => scope().delete(key))) !== undefined
        return { result: removed, changed: removed || undefined }
      })
    },
  }
}

interface SharedList<Entry> {
  read(): Promise<readonly Entry[]>
  /** A reading that is under way must not be shared with whoever asks from now on. */
  outdate(): void
}

function createSharedList<Row extends Stamped, Entry>(options: RegistryOptions<Row, Entry>): SharedList<Entry> {
  const { what, scope, schema, toEntry, log } = options
  let underWay: { from: StateScope<unknown>; entries: Promise<Entry[]> } | undefined
  let unreadable = 0

  function decode(rows: readonly unknown[]): Entry[] {
    const entries = rows.flatMap((stored) => {
      const row = schema.safeParse(stored)
      return row.success ? [toEntry(row.data)] : []
    })
    const bad = rows.length - entries.length
    if (bad !== unreadable && bad > 0) log.warn({ rows: bad }, `some stored rows are no ${what}s and are not listed`)
    unreadable = bad
    return entries
  }

  async function load(from: StateScope<unknown>): Promise<Entry[]> {
    return decode(await explain('state::list', () => from.list()))
  }

  return {
    read() {
      const from = scope()
      if (underWay?.from === from) return underWay.entries
      const reading = { from, entries: load(from) }
      underWay = reading
      const done = () => {
        if (underWay === reading) underWay = undefined
      }
      reading.entries.then(done, done)
      return reading.entries
    },
    outdate() {
      underWay = undefined
    },
  }
}

/** Names the call of the store that failed; the code says whether it is worth trying again. */
async function explain<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = toFault(error)
    throw new Fault(fault.code, `${call}: ${fault.message}`, { cause: error })
  }
}

/** The store was asked and did not answer: it took too long, or it or the connection went away meanwhile. */
function isOutcomeUnknown(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : undefined
  return cause instanceof InvocationError && ['TIMEOUT', 'connection_lost', 'invocation_stopped'].includes(cause.code)
}

function toProblem(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'value'}: ${issue.message}` : 'not a record'
}
