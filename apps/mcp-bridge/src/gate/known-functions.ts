import { createKept } from '../mcp/kept.ts'
import type { Directory, DirectoryRow, FunctionDetail } from './directory.ts'

/** A function as the engine told it. */
export interface Known {
  readonly detail: FunctionDetail
  /** When the engine was asked, of `performance.now()`: what it says may have changed on the way. */
  readonly askedAt: number
}

/** What is known of functions for a moment, so that a busy one is not asked about for each call. */
export interface KnownFunctions {
  isFresh(entry: Pick<Known, 'askedAt'>): boolean
  /** What is known and fresh. */
  fresh(id: string): Known | undefined
  /** Asks the engine where what is known is not fresh. @throws what the engine says */
  find(id: string): Promise<Known | undefined>
  /** Asks the engine, whatever is known. @throws what the engine says */
  findAnew(id: string): Promise<Known | undefined>
  /** The same for many, with as few questions as possible. @throws what the engine says */
  findAll(ids: readonly string[]): Promise<Map<string, FunctionDetail>>
  /** All of them. @throws what the engine says */
  list(): Promise<readonly DirectoryRow[]>
  /** A call has shown that it is not there. */
  remove(id: string): void
  forget(): void
}

export interface KnownFunctionsOptions {
  readonly directory: Pick<Directory, 'describe' | 'list'>
  /** Told what the engine says of a function, each time it is asked; undefined when it is gone. */
  readonly onLearned: (id: string, detail: FunctionDetail | undefined) => void
  readonly freshMs: number
}

interface Question {
  readonly askedAt: number
  readonly answer: Promise<Known | undefined>
}

const MAX_KNOWN = 2_000

export function createKnownFunctions({ directory, onLearned, freshMs }: KnownFunctionsOptions): KnownFunctions {
  const known = new Map<string, Known>()
  const asking = new Map<string, Question>()
  const listed = createKept(() => directory.list(), freshMs)

  const isFresh = ({ askedAt }: Pick<Known, 'askedAt'>) => performance.now() - askedAt <= freshMs

  function fresh(id: string): Known | undefined {
    const entry = known.get(id)
    return entry !== undefined && isFresh(entry) ? entry : undefined
  }

  /** Never remembers that a function is missing: it may come up at any moment. */
  function remember(id: string, detail: FunctionDetail | undefined, askedAt: number): void {
    if (known.size >= MAX_KNOWN) known.clear()
    if (detail === undefined) known.delete(id)
    else known.set(id, { detail, askedAt })
    onLearned(id, detail)
  }

  async function ask(ids: readonly string[], askedAt: number): Promise<Map<string, FunctionDetail>> {
    const details = await directory.describe(ids)
    for (const id of ids) remember(id, details.get(id), askedAt)
    return details
  }

  /** One question for all who want to know at the same time, unless it is about to be too old for who comes late. */
  function askOne(id: string): Promise<Known | undefined> {
    const running = asking.get(id)
    if (running !== undefined && isFresh(running)) return running.answer
    const askedAt = performance.now()
    const answer = ask([id], askedAt)
      .then((details) => toAnswer(details.get(id)))
      .finally(() => {
        if (asking.get(id) === question) asking.delete(id)
      })
    const question = { askedAt, answer }
    asking.set(id, question)
    return answer
  }

  return {
    isFresh,
    fresh,
    findAnew: askOne,
    find: async (id) => fresh(id) ?? askOne(id),
    async findAll(ids) {
      const found = new Map(ids.flatMap((id) => toPair(id, fresh(id)?.detail)))
      const stale = ids.filter((id) => !found.has(id))
      const asked = stale.length === 0 ? [] : await ask(stale, performance.now())
      return new Map([...found, ...asked])
    },
    list: () => listed.get(),
    remove: (id) => remember(id, undefined, performance.now()),
    forget() {
      known.clear()
      listed.forget()
    },
  }
}

/** Whoever has waited for a slow engine takes its answer as it comes. */
function toAnswer(detail: FunctionDetail | undefined): Known | undefined {
  return detail && { detail, askedAt: performance.now() }
}

function toPair(id: string, detail: FunctionDetail | undefined): [string, FunctionDetail][] {
  return detail === undefined ? [] : [[id, detail]]
}
