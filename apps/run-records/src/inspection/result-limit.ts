import { toJsonText } from '@iii/protocol'

/** What clients take: a bridge sends a result as text and as data. */
const CLIENT_BYTES = 1024 * 1024
/** For what a bridge puts around it, and for where a list goes on. */
const FRAME_BYTES = 4096

/** How large a result may be, as {@link sizeOf} measures it. @param shownBytes what the bridge shows of one */
export function toMaxBytes(shownBytes = CLIENT_BYTES): number {
  const bytes = Math.min(shownBytes, CLIENT_BYTES)
  return Math.max(bytes / 2, bytes - FRAME_BYTES)
}

export const MAX_RESULT_BYTES = toMaxBytes()

/** A result that can be cut: lists, and how many entries were left out of them. */
type Cuttable<Key extends string> = { readonly [K in Key]?: readonly unknown[] | undefined } & {
  readonly left_out?: number | undefined
}

/** Whether a result can be sent. */
export function isFitting(result: unknown, maxBytes: number): boolean {
  return toExcess(result, maxBytes) <= 0
}

/** How much less there would have to be of a result, as {@link sizeOf} measures it, so that it can be sent. */
export function toExcess(result: unknown, maxBytes: number): number {
  return sizeOf(result) - maxBytes
}

/**
 * Cuts the lists of a result from their ends until it can be sent, the last named first, and says in `left_out` how many entries are
 * missing.
 */
export function toFitting<Key extends string, T extends Cuttable<Key>>(
  result: T,
  keys: readonly Key[],
  maxBytes: number,
): T {
  if (isFitting(result, maxBytes)) return result
  const named = keys.filter((key) => result[key] !== undefined)
  const empty = { ...result, ...toObject(named.map((key) => [key, []])), left_out: Number.MAX_SAFE_INTEGER }
  const room = createRoom(maxBytes - sizeOf(empty))
  let leftOut = result.left_out ?? 0
  const lists = named.map((key): [Key, unknown[]] => {
    const entries: readonly unknown[] = result[key] ?? []
    const end = entries.findIndex((entry) => !room.take(entry))
    if (end === -1) return [key, [...entries]]
    // Once something is missing, what is less important is not there either.
    room.left = 0
    leftOut += entries.length - end
    return [key, entries.slice(0, end)]
  })
  return { ...result, ...toObject(lists), left_out: leftOut }
}

function toObject(lists: readonly [string, unknown[]][]): object {
  return Object.fromEntries(lists)
}

/** What entries of lists may take together. */
interface Room {
  left: number
  /** Takes the part of an entry. @returns false when there is not so much left */
  take(entry: unknown): boolean
}

/** Each entry is written once: writing a large result again for each number of entries takes longer than making it. */
export function createRoom(bytes: number): Room {
  const room: Room = {
    left: bytes,
    take(entry) {
      const more = sizeInList(entry)
      if (more > room.left) return false
      room.left -= more
      return true
    },
  }
  return room
}

/** As text and as data a comma follows. */
function sizeInList(entry: unknown): number {
  return sizeOf(entry) + SEPARATORS_BYTES
}
const SEPARATORS_BYTES = 2

/** What it takes on its way: as text, and as data. */
export function sizeOf(result: unknown): number {
  return Buffer.byteLength(toJsonText(result) ?? '') + sizeOfData(result)
}

function sizeOfData(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result))
}
