import { toJsonBytes } from '@iii/sdk/call-feed'
import { CUT_NOTE_BYTES, cutMiddle } from './cut-middle.ts'

/** A block of content, an entry of a resource, a message of a prompt: what a result has several of. */
export interface ResultPiece {
  readonly value: Readonly<Record<string, unknown>>
  /** What may be cut; undefined for what is there or not. */
  readonly text: string | undefined
  /** What is there of it as long as it is not whole. */
  reduced(text: string): Readonly<Record<string, unknown>>
}

export interface Fitting {
  readonly values: readonly Readonly<Record<string, unknown>>[]
  /** So many of the last pieces are not there at all. */
  readonly gone: number
}

/** For what stands in the place of something, with the comma behind it. */
const NOTE_BYTES = 2 * CUT_NOTE_BYTES + 1

/**
 * Makes pieces fit: pictures, sounds and files are whole or only mentioned, texts keep head and tail, and the longest give way first. Half
 * of the room is kept for texts, if they need it.
 *
 * @param room bytes of JSON for all of them together, with commas
 */
export function fitPieces(pieces: readonly ResultPiece[], room: number): Fitting {
  const sized = keepFirst(pieces.map(toSized), room)
  const spare = room - sum(sized, ({ least }) => least)
  const wanted = sum(sized, (piece) => (piece.text === undefined ? 0 : piece.more))
  let forOthers = spare - Math.min(wanted, Math.floor(spare / 2))
  let used = 0
  const whole = new Set<Sized>()
  for (const piece of sized) {
    if (piece.text !== undefined || piece.more > forOthers) continue
    whole.add(piece)
    forOthers -= piece.more
    used += piece.more
  }
  const share = toShare(
    sized.flatMap((piece) => (piece.text === undefined ? [] : [piece.more])),
    spare - used,
  )
  const values = sized.map((piece) => {
    if (whole.has(piece) || (piece.text !== undefined && piece.more <= share)) return piece.value
    return piece.text === undefined ? mention(piece) : shorten(piece, piece.text, piece.least + share)
  })
  return { values, gone: pieces.length - sized.length }
}

interface Sized extends ResultPiece {
  readonly bytes: number
  /** With nothing of it but a note. */
  readonly least: number
  /** What it needs beyond that to be whole. */
  readonly more: number
}

function toSized(piece: ResultPiece): Sized {
  const { value, text } = piece
  const bytes = toJsonBytes(value) + 1
  const least = Math.min(bytes, toJsonBytes(piece.reduced('')) + NOTE_BYTES)
  return { value, text, reduced: (short) => piece.reduced(short), bytes, least, more: bytes - least }
}

function keepFirst(pieces: readonly Sized[], room: number): Sized[] {
  let left = room
  const end = pieces.findIndex(({ least }) => {
    left -= least
    return left < 0
  })
  return pieces.slice(0, end === -1 ? pieces.length : end)
}

/** How much each may have beyond its least: who needs less leaves the rest to the others. */
function toShare(needs: readonly number[], room: number): number {
  let left = room
  const sorted = [...needs].sort((a, b) => a - b)
  for (const [at, need] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at))
    if (need > share) return share
    left -= need
  }
  return Number.POSITIVE_INFINITY
}

function shorten(piece: ResultPiece, text: string, bytes: number): Readonly<Record<string, unknown>> {
  return piece.reduced(cutMiddle(text, bytes - toJsonBytes(piece.reduced('')) - 1))
}

function mention({ value, bytes, reduced }: Sized): Readonly<Record<string, unknown>> {
  const kind = typeof value['type'] === 'string' ? `${value['type']} content`.slice(0, CUT_NOTE_BYTES) : 'content'
  return reduced(`[${kind} of ${bytes} bytes is left out: it is too large]`)
}

function sum(pieces: readonly Sized[], of: (piece: Sized) => number): number {
  return pieces.reduce((total, piece) => total + of(piece), 0)
}
