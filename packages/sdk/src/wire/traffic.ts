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
  // What is written meanwhile waits as well, and is no sign that anything moves.
  const toLeft = () => {
    const { bytesWritten = 0, writeQueueSize = 0 } = (stream as WithHandle | undefined)?._handle ?? {}
    return bytesWritten - writeQueueSize
  }
  let left = toLeft()
  let come = stream?.bytesRead

  return () => {
    const before = { left, come }
    left = toLeft()
    come = stream?.bytesRead
    return { hasLeft: left > before.left, hasCome: come !== before.come }
  }
}
