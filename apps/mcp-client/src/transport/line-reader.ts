/** Cuts what a process writes into lines, and keeps no more of it than one line may have. */
export interface LineReader {
  push(chunk: Buffer): void
}

export interface LineReaderOptions {
  /** A line that is longer than this at the moment is not kept, and nothing after it is read. */
  maxBytes(): number
  onLine(line: string): void
  /** A piece of a line that cannot be a message, because it begins like none; nothing of it is kept. @param isFirst of that line */
  onNoise(bytes: number, isFirst: boolean): void
  /** Of a line that has nothing else so far: reading those costs time too. */
  onBlank(bytes: number): void
  /** Called once; the reader is deaf from then on. */
  onTooLong(): void
}

const NEWLINE = 0x0a
const OPENERS = [0x7b, 0x5b]
/** Byte by byte, as chunks may cut it. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** What may stand before a message. */
const SPACES = [0x20, 0x09, 0x0d, ...BYTE_ORDER_MARK]

export function createLineReader({ maxBytes, onLine, onNoise, onBlank, onTooLong }: LineReaderOptions): LineReader {
  /** Of a line whose end has not come. */
  const open = createOpenLine(maxBytes)
  let isNoise = false
  let isDeaf = false

  function keep(piece: Buffer): void {
    const start = open.size > 0 ? 0 : findStart(piece)
    if (open.size > 0 || OPENERS.includes(piece[start] ?? 0)) {
      append(piece.subarray(start))
    } else if (start === piece.length) {
      onBlank(start)
    } else {
      isNoise = true
      onNoise(piece.length, true)
    }
  }

  function append(piece: Buffer): void {
    if (open.append(piece)) return
    isDeaf = true
    open.take()
    onTooLong()
  }

  function end(): void {
    const line = open.take()
    isNoise = false
    if (line !== '') onLine(line)
  }

  /** @returns where the next line begins */
  function readPiece(chunk: Buffer, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at)
    const piece = chunk.subarray(at, newline === -1 ? chunk.length : newline)
    if (isNoise) onNoise(piece.length, false)
    else keep(piece)
    if (newline === -1) return chunk.length
    if (!isDeaf) end()
    return newline + 1
  }

  return {
    push(chunk) {
      for (let at = 0; !isDeaf && at < chunk.length; ) at = readPiece(chunk, at)
    },
  }
}

interface OpenLine {
  readonly size: number
  /** @returns false when that is more than a line may have */
  append(piece: Buffer): boolean
  /** Ends it. */
  take(): string
}

const NOTHING = Buffer.alloc(0)
const FIRST_ROOM = 4 * 1024
/** As much as a chunk usually has at most: what a longer line took is given back. */
const KEPT_ROOM = 64 * 1024

/** Bytes and not text, for a character may lie in two chunks; and in one piece, for a chunk may be a single byte, and costs far more than that. */
function createOpenLine(maxBytes: () => number): OpenLine {
  let room = NOTHING
  let size = 0

  function grow(least: number): void {
    const next = Buffer.allocUnsafe(Math.min(maxBytes(), Math.max(FIRST_ROOM, size === 0 ? least : 2 * least)))
    room.copy(next, 0, 0, size)
    room = next
  }

  return {
    get size() {
      return size
    },
    append(piece) {
      const least = size + piece.length
      if (least > maxBytes()) return false
      if (least > room.length) grow(least)
      size += piece.copy(room, size)
      return true
    },
    take() {
      const line = room.toString('utf8', 0, size)
      if (room.length > KEPT_ROOM) room = NOTHING
      size = 0
      return line
    },
  }
}

function findStart(piece: Buffer): number {
  let at = 0
  while (at < piece.length && SPACES.includes(piece[at] ?? 0)) at++
  return at
}
