/** A part of a message as it comes. */
export interface Piece {
  readonly bytes: Buffer
  /** Whether the message ends with it. */
  readonly isLast: boolean
}

const FIN = 0x80
const TEXT = 1
const CONTINUATION = 0
const CLOSE = 8
const LENGTH_16 = 126

interface Frame {
  readonly headBytes: number
  readonly length: number
  readonly opcode: number
  readonly isFinal: boolean
}

/**
 * Takes the bytes that a server sends apart, and keeps none but the head of a frame that has not come whole.
 *
 * @returns a function from bytes to the pieces of messages that they hold @throws an Error when the server says good-bye
 */
export function createMessageReader(): (bytes: Buffer) => Piece[] {
  let head: Buffer = Buffer.alloc(0)
  let frame: Frame | undefined
  let left = 0

  /** @returns what of the bytes comes after it */
  function readHead(bytes: Buffer): Buffer {
    const known = head.length === 0 ? bytes : Buffer.concat([head, bytes])
    frame = parseHead(known)
    head = frame === undefined ? Buffer.from(known) : Buffer.alloc(0)
    if (frame?.opcode === CLOSE) throw new Error('The engine has closed the connection')
    left = frame?.length ?? 0
    return known.subarray(frame?.headBytes ?? known.length)
  }

  /** @returns the part of a frame that the bytes begin with */
  function readPart(bytes: Buffer, { opcode, isFinal }: Frame): Piece[] {
    const part = bytes.subarray(0, left)
    left -= part.length
    if (left === 0) frame = undefined
    return opcode === TEXT || opcode === CONTINUATION ? [{ bytes: part, isLast: left === 0 && isFinal }] : []
  }

  return (bytes) => {
    const pieces: Piece[] = []
    let rest = bytes
    while (rest.length > 0) {
      if (frame === undefined) rest = readHead(rest)
      if (frame === undefined) break
      const { length } = rest.subarray(0, left)
      pieces.push(...readPart(rest, frame))
      rest = rest.subarray(length)
    }
    return pieces
  }
}

function parseHead(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)]
  const facts = { opcode: first & 0x0f, isFinal: (first & FIN) !== 0 }
  const short = second & 0x7f
  if (short < LENGTH_16) return { ...facts, headBytes: 2, length: short }
  const headBytes = short === LENGTH_16 ? 4 : 10
  if (bytes.length < headBytes) return undefined
  const length = headBytes === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { ...facts, headBytes, length }
}
