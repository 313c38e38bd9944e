import type { Socket } from 'node:net'

/** What has moved on a connection since it was asked last. */
export interface Traffic {
  /** The network has taken something of what waited to be sent. */
  readonly hasLeft: boolean
  /** Bytes have come, a part of a message or all of it. */
  readonly hasCome: boolean
}

/** Node tells nobody but the timeout of a socket how far a write has come, which a long message is one of. */
interface WithHandle {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null
}

/** @returns tells what has moved since it was asked last, first of all since now */
export function watchTraffic(stream: Socket | undefined): () => Traffic {
  const look = () => {
    const { bytesWritten = 0, writeQueueSize = 0 } = (stream as WithHandle | undefined)?._handle ?? {}
    return { left: bytesWritten - writeQueueSize, waited: writeQueueSize > 0, come: stream?.bytesRead }
  }
  let last = look()

  return () => {
    const before = last
    last = look()
    // What is written meanwhile is taken at once, or waits as well: neither is a sign that anything moves.
    return { hasLeft: before.waited && last.left > before.left, hasCome: last.come !== before.come }
  }
}
