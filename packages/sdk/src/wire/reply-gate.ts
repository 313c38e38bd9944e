/** Lets replies out no faster than the engine reads them, so that calls of our own find room between them. */
export interface ReplyGate {
  /** Sends a reply, in its turn: at once when the engine has read what went before. */
  send(texts: readonly string[], epoch: number): void
  /** Sends everything that waits, now. */
  flush(): void
}

export interface ReplyGateOptions {
  /** Bytes handed over that the engine has not read yet. */
  bufferedBytes(): number
  /** The number of the connection; undefined while there is none. */
  epoch(): number | undefined
  send(texts: readonly string[]): void
  /** The engine has stopped reading: everything that waits is forgotten. */
  onStuck(): void
}

interface Waiting {
  texts: readonly string[]
  epoch: number
}

/** As long as the engine has not read so much, replies wait. Calls are refused at four times as much. */
const ROOM_BYTES = 4 * 1024 * 1024
/** With more than that waiting the engine has stopped reading, or reads too slowly to be of use. In UTF-16 units. */
const MAX_WAITING = 256 * 1024 * 1024
/** How often to look whether the engine has read on, in milliseconds. */
const LOOK_EVERY_MS = 2

export function createReplyGate({ bufferedBytes, epoch, send, onStuck }: ReplyGateOptions): ReplyGate {
  const waiting: Waiting[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined

  const hasRoom = () => epoch() === undefined || bufferedBytes() <= ROOM_BYTES

  function sendFirst(): void {
    const first = waiting.shift()
    size -= sizeOf(first?.texts ?? [])
    // What belongs to an older connection has no receiver any more.
    if (first && first.epoch === epoch()) send(first.texts)
  }

  function sendWaiting(): void {
    while (waiting.length > 0 && hasRoom()) sendFirst()
    timer = waiting.length === 0 ? undefined : setTimeout(sendWaiting, LOOK_EVERY_MS)
  }

  return {
    send(texts, of) {
      if (of !== epoch()) return
      if (waiting.length === 0 && hasRoom()) return send(texts)
      waiting.push({ texts, epoch: of })
      size += sizeOf(texts)
      timer ??= setTimeout(sendWaiting, LOOK_EVERY_MS)
      if (size <= MAX_WAITING) return
      waiting.length = 0
      size = 0
      onStuck()
    },
    flush() {
      clearTimeout(timer)
      timer = undefined
      while (waiting.length > 0) sendFirst()
    },
  }
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}
