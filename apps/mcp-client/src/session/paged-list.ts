import { Fault, isRecord } from '@iii/protocol'
import { ServerFailure } from '../diagnostics/diagnostic.ts'
import { METHOD_NOT_FOUND, RpcFailure } from './rpc-failure.ts'
import type { ServerSession } from './session.ts'

export interface PagedListOptions {
  readonly method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'
  /** Where a page has its entries. */
  readonly key: string
  /** For all pages together: `timeouts.list_ms` of the server. */
  readonly timeoutMs: number
  /** So many are kept; the others are counted. */
  readonly maxItems: number
  /** Of all pages together. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
  clean(text: string): string
}

export interface PagedList {
  readonly items: readonly unknown[]
  /** Of all that the server lists. */
  readonly total: number
}

const MAX_PAGES = 64
/** Who has resources may know one of these alone. */
const ONE_SUFFICES = ['resources/list', 'resources/templates/list']

/**
 * Reads a list to its last page.
 *
 * @throws ServerFailure `list_failed` for one that has no end, is too large, or is no list
 * @throws Fault `deadline` that names the limit; what a request throws
 */
export async function readPagedList(session: ServerSession, options: PagedListOptions): Promise<PagedList> {
  const endsAt = performance.now() + options.timeoutMs
  const cursors = new Set<string>()
  const items: unknown[] = []
  let total = 0
  let bytesLeft = options.maxBytes
  let cursor: string | undefined
  // In whole milliseconds: whoever is told how long it took is told the same each time.
  let leftMs = options.timeoutMs
  for (let page = 1; ; page++) {
    if (page > MAX_PAGES) throw failed(`it has more than ${MAX_PAGES} pages`)
    const answered = await readPage(session, cursor, leftMs, options)
    bytesLeft -= answered.bytes
    if (bytesLeft < 0) throw failed('it is larger in all than limits.message_bytes')
    total += answered.entries.length
    items.push(...answered.entries.slice(0, Math.max(0, options.maxItems - items.length)))
    cursor = answered.next
    if (cursor === undefined) return { items, total }
    if (cursors.has(cursor)) throw failed('it comes back to the same page again and again')
    cursors.add(cursor)
    leftMs = Math.max(1, Math.ceil(endsAt - performance.now()))
  }

  function failed(reason: string): ServerFailure {
    return new ServerFailure('list_failed', `The answer to \`${options.method}\` cannot be used: ${reason}`)
  }
}

async function readPage(
  session: ServerSession,
  cursor: string | undefined,
  leftMs: number,
  { method, key, signal, clean, timeoutMs }: PagedListOptions,
) {
  const params = cursor === undefined ? {} : { cursor }
  const { result, bytes } = await session
    .request(method, params, { timeoutMs: leftMs, signal })
    .catch((error: unknown) => {
      if (error instanceof RpcFailure) {
        if (error.code === METHOD_NOT_FOUND && ONE_SUFFICES.includes(method)) return { result: { [key]: [] }, bytes: 0 }
        throw new ServerFailure('list_failed', `It answered \`${method}\` with an error: ${clean(error.message)}`)
      }
      // A list is no work that may be done; whoever gave it up says why.
      if (!(error instanceof Fault) || error.code !== 'deadline' || error === signal?.reason) throw error
      const limit = `${timeoutMs / 1000} s (timeouts.list_ms)`
      throw new Fault('deadline', `It did not answer \`${method}\` to the end of the list within ${limit}`)
    })
  const entries = isRecord(result) ? result[key] : undefined
  if (!Array.isArray(entries)) throw new ServerFailure('list_failed', `It answered \`${method}\` without \`${key}\``)
  const next = isRecord(result) ? result['nextCursor'] : undefined
  // Some write an empty cursor for none.
  return { entries: entries as unknown[], bytes, next: typeof next === 'string' && next !== '' ? next : undefined }
}
