/** Cuts what a process writes into lines, and keeps no more of it than one line may have. */
export interface LineReader {
  push(chunk: Buffer): void
}

export interface LineReaderOptions {
  /** A longer line is not kept, and nothing after it is read. */
  readonly maxBytes: number
  onLine(line: string): void
  /** A piece of a line that cannot be a message, because it begins like none; nothing of it is kept. */
  onNoise(bytes: number): void
  /** Called once; the reader is deaf from then on. */
  onTooLong(): void
}

const NEWLINE = 0x0a
const OPENERS = [0x7b, 0x5b]
/** Byte by byte, as chunks may cut it. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** What may stand before a message. */
const SPACES = [0x20, 0x09, 0x0d, ...BYTE_ORDER_MARK]

export function createLineReader({ maxBytes, onLine, onNoise, onTooLong }: LineReaderOptions): LineReader {
  /** Of a line whose end has not come. */
  let pieces: Buffer[] = []
  let size = 0
  let isNoise = false
  let isDeaf = false

  function keep(piece: Buffer): void {
    const start = size > 0 ? 0 : findStart(piece)
    if (start === piece.length) return
    if (size === 0 && !OPENERS.includes(piece[start] ?? 0)) {
      isNoise = true
      onNoise(piece.length)
      return
    }
    size += piece.length - start
    if (size <= maxBytes) {
      pieces.push(piece.subarray(start))
      return
    }
    isDeaf = true
    pieces = []
    onTooLong()
  }

  function end(): void {
    // As bytes, for a character may lie in two chunks.
    const line = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    size = 0
    isNoise = false
    if (line.length > 0) onLine(line.toString('utf8'))
  }

  /** @returns where the next line begins */
  function readPiece(chunk: Buffer, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at)
    const piece = chunk.subarray(at, newline === -1 ? chunk.length : newline)
    if (isNoise) onNoise(piece.length)
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

function findStart(piece: Buffer): number {
  let at = 0
  while (at < piece.length && SPACES.includes(piece[at] ?? 0)) at++
  return at
}
