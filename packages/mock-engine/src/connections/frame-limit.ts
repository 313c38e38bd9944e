/** The largest frame of a message that anybody may send, in bytes. A message of several may have more. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/**
 * Follows the frames in what a WebSocket client sends.
 *
 * @param exceeded - told, once, of a frame that is too large, as soon as its head is there.
 * @returns a function to be given the bytes as they come.
 */
export function createFrameLimit(exceeded: () => void): (chunk: Buffer) => void {
  /** What is left of the frame that is being received. */
  let payload = 0
  /** The head of a frame that began at the end of a chunk. */
  let begun: Buffer | undefined

  return (chunk) => {
    const bytes = begun ? Buffer.concat([begun, chunk]) : chunk
    begun = undefined
    let at = skip(0)
    while (at < bytes.length) {
      const head = readHead(bytes, at)
      if (!head) {
        begun = Buffer.from(bytes.subarray(at))
        return
      }
      payload = head.payload
      if (payload > MAX_FRAME_BYTES) return exceeded()
      at = skip(at + head.size)
    }

    /** Passes over as much of the payload as is there. */
    function skip(from: number): number {
      const taken = Math.min(payload, bytes.length - from)
      payload -= taken
      return from + taken
    }
  }
}

/** @returns `undefined` when the head is not there as a whole. */
function readHead(bytes: Buffer, at: number): { readonly size: number; readonly payload: number } | undefined {
  const second = bytes[at + 1]
  if (second === undefined) return undefined
  const short = second & 127
  const extra = short < 126 ? 0 : short === 126 ? 2 : 8
  const size = 2 + extra + (second > 127 ? 4 : 0)
  if (bytes.length < at + size) return undefined
  if (extra === 0) return { size, payload: short }
  if (extra === 2) return { size, payload: bytes.readUInt16BE(at + 2) }
  return { size, payload: bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6) }
}
