import { type NamesOf, refuseMistyped, requireBounds, requireMs } from '../suggestions/mistyped.ts'
import { createListSplitter, type ListElement } from '../wire/list-splitter.ts'
import { streamReply } from '../wire/reply-stream.ts'

/** One value of a scope as the store has it: JSON text, and of a long one what it begins with. */
export type StateRow = ListElement

export interface StateRowsOptions {
  /** So much of a value is kept. @default 64 KiB */
  readonly maxRowBytes?: number | undefined
  /** Longest silence of the engine; how long all of it takes does not matter. @default 30_000 */
  readonly silenceMs?: number | undefined
}

const OPTIONS: NamesOf<StateRowsOptions> = { maxRowBytes: true, silenceMs: true }
const MAX_ROW_BYTES = 64 * 1024
const SILENCE_MS = 30_000
/** What an answer says that has no rows stands at its beginning. */
const MAX_BEGINNING_BYTES = 4 * 1024

/**
 * Reads the values of a scope one after the other, on a connection of its own. The store tells what a scope has in one message alone,
 * and a message that is larger than a worker takes costs that worker its connection; this takes it apart as it comes, so that its
 * size costs neither memory here nor anybody's connection. The engine copies the scope for it: nothing to be done often.
 *
 * @throws an Error when the engine cannot be reached, refuses, leaves or is silent
 *
 * @example
 * for await (const { text } of streamStateRows(worker.url, 'orders')) console.log(JSON.parse(text))
 */
export async function* streamStateRows(
  engineUrl: string,
  scope: string,
  options: StateRowsOptions = {},
): AsyncGenerator<StateRow, void, undefined> {
  refuseMistyped('streamStateRows', options, OPTIONS)
  requireBounds('streamStateRows', options, ['maxRowBytes'])
  requireMs('streamStateRows', options, ['silenceMs'])
  const { maxRowBytes = MAX_ROW_BYTES, silenceMs = SILENCE_MS } = options
  const call = { functionId: 'state::list', payload: { scope }, silenceMs }
  let rows = createListSplitter(maxRowBytes)
  let beginning = ''
  for await (const { bytes, isLast } of streamReply(engineUrl, call)) {
    if (beginning.length < MAX_BEGINNING_BYTES) beginning += bytes.toString('latin1', 0, MAX_BEGINNING_BYTES)
    for (const row of rows.split(bytes)) yield row
    if (!isLast) continue
    if (rows.hasList) return
    refuseFailure(beginning, scope)
    rows = createListSplitter(maxRowBytes)
    beginning = ''
  }
}

/** @throws for an answer without a list */
function refuseFailure(message: string, scope: string): void {
  if (!message.includes('"type":"invocationresult"')) return
  const said = /"message":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? 'it answered no list of rows'
  throw new Error(`The engine does not list the scope '${scope}': ${said}`)
}
