/** Cuts a stream of bytes into lines, in time that grows with the bytes alone, however they come in pieces. */
export interface LineReader {
  push(chunk: Uint8Array): void
  /** What has come of a line that has no end yet; nothing where it is too long already. */
  readonly rest: Buffer
  /** How much it holds at the moment. */
  readonly retainedBytes: number
}

export interface LineReaderOptions {
  /** Of one line, without its end. */
  readonly maxBytes: number
  /** @param line without its end; the bytes are somebody else's again as soon as this returns */
  readonly onLine: (line: Buffer) => void
  /** A line was longer, and all but its beginning and its end is gone. */
  readonly onLost: (line: LostLine) => void
}

/** What is left of a line that was too long. */
export interface LostLine {
  readonly beginning: string
  readonly end: string
}

const NEWLINE = 0x0a
/** Most lines are shorter; what a longer one needed is given back after it. */
const USUAL_BYTES = 16 * 1024
const EDGE_BYTES = 1_024

export function createLineReader({ maxBytes, onLine, onLost }: LineReaderOptions): LineReader {
  let kept = Buffer.allocUnsafe(0)
  let length = 0
  let lost: Edges | undefined

  function keep(part: Buffer): void {
    if (lost === undefined && length + part.length > maxBytes) lose()
    if (lost !== undefined) {
      lost.add(part)
      return
    }
    if (length + part.length > kept.length) grow(length + part.length)
    length += part.copy(kept, length)
  }

  function lose(): void {
    lost = createEdges()
    lost.add(kept.subarray(0, length))
    kept = Buffer.allocUnsafe(0)
    length = 0
  }

  function grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(kept.length * 2, maxBytes), USUAL_BYTES))
    kept.copy(larger, 0, 0, length)
    kept = larger
  }

  function finish(rest: Buffer): void {
    const isWhole = length === 0 && lost === undefined && rest.length <= maxBytes
    if (!isWhole) keep(rest)
    const [line, edges] = [isWhole ? rest : kept.subarray(0, length), lost]
    length = 0
    lost = undefined
    if (kept.length > USUAL_BYTES) kept = Buffer.allocUnsafe(0)
    if (edges === undefined) onLine(line)
    else onLost(edges.read())
  }

  return {
    get retainedBytes() {
      return kept.length + (lost?.retainedBytes ?? 0)
    },
    get rest() {
      return kept.subarray(0, length)
    },
    push(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let at = 0
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
        finish(chunk.subarray(at, end))
        at = end + 1
      }
      if (at < chunk.length) keep(chunk.subarray(at))
    },
  }
}

interface Edges {
  add(part: Buffer): void
  readonly retainedBytes: number
  read(): LostLine
}

/** Keeps the first and the last bytes of what passes by. */
function createEdges(): Edges {
  const first = Buffer.alloc(EDGE_BYTES)
  const last = Buffer.alloc(2 * EDGE_BYTES)
  let firstLength = 0
  let lastLength = 0

  function addLast(part: Buffer): void {
    if (lastLength + part.length > last.length) {
      last.copyWithin(0, Math.max(0, lastLength - EDGE_BYTES), lastLength)
      lastLength = Math.min(lastLength, EDGE_BYTES)
    }
    lastLength += part.copy(last, lastLength)
  }

  return {
    retainedBytes: first.length + last.length,
    add(part) {
      firstLength += part.copy(first, firstLength)
      addLast(part.subarray(Math.max(0, part.length - EDGE_BYTES)))
    },
    read: () => ({ beginning: first.toString('utf8', 0, firstLength), end: last.toString('utf8', 0, lastLength) }),
  }
}
