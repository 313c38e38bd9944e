import { toJsonText } from '@iii/protocol'

/** What clients take: a bridge sends a result as text and as data. */
const MAX_BYTES = 1024 * 1024
/** For what a bridge puts around it. */
const FRAME_BYTES = 4096

/** A result that can be cut: lists, and how many entries were left out of them. */
type Cuttable<Key extends string> = { readonly [K in Key]?: readonly unknown[] | undefined } & {
  readonly left_out?: number | undefined
}

/** Whether a result can be sent. */
export function isFitting(result: unknown): boolean {
  return sizeOf(result) <= MAX_BYTES - FRAME_BYTES
}

/**
 * Cuts the lists of a result from their ends until it can be sent, the last named first, and says in `left_out` how many entries are
 * missing.
 */
export function toFitting<Key extends string, T extends Cuttable<Key>>(result: T, keys: readonly Key[]): T {
  if (isFitting(result)) return result
  const named = keys.filter((key) => result[key] !== undefined)
  const empty = { ...result, ...toObject(named.map((key) => [key, []])), left_out: Number.MAX_SAFE_INTEGER }
  let room = MAX_BYTES - FRAME_BYTES - sizeOf(empty)
  let leftOut = result.left_out ?? 0
  const lists = named.map((key): [Key, unknown[]] => {
    const entries: readonly unknown[] = result[key] ?? []
    const kept = takeFitting(entries, room)
    // Once something is missing, what is less important is not there either.
    room = kept.entries.length < entries.length ? 0 : room - kept.bytes
    leftOut += entries.length - kept.entries.length
    return [key, kept.entries]
  })
  return { ...result, ...toObject(lists), left_out: leftOut }
}

function toObject(lists: readonly [string, unknown[]][]): object {
  return Object.fromEntries(lists)
}

/** Each entry is written once: writing a large result again for each number of entries takes longer than making it. */
function takeFitting(entries: readonly unknown[], room: number): { entries: unknown[]; bytes: number } {
  let bytes = 0
  const kept: unknown[] = []
  for (const entry of entries) {
    const more = sizeInList(entry)
    if (bytes + more > room) break
    bytes += more
    kept.push(entry)
  }
  return { entries: kept, bytes }
}

/** As text its lines are indented twice, and it begins a line; as text and as data a comma follows. */
function sizeInList(entry: unknown): number {
  const text = toJsonText(entry) ?? ''
  return Buffer.byteLength(text) + text.split('\n').length * INDENT_BYTES + sizeOfData(entry) + SEPARATORS_BYTES
}
const INDENT_BYTES = 4
const SEPARATORS_BYTES = 3

function sizeOf(result: unknown): number {
  return Buffer.byteLength(toJsonText(result) ?? '') + sizeOfData(result)
}

function sizeOfData(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result))
}
