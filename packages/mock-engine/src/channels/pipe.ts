/** What travels through a channel: one WebSocket message. */
export interface PipedMessage {
  readonly data: Buffer
  readonly binary: boolean
}

/** Whoever puts items in. */
export interface PipeSource {
  /** Stop for now: the pipe is full. */
  pause(): void
  resume(): void
  /** The reader is gone for good. */
  cut(): void
}

/** Whoever takes items out, one at a time. */
export interface Sink {
  /** @param done - to be called when the next item may come; with `false` when there is nobody to take it. */
  send(item: PipedMessage, done: (delivered: boolean) => void): void
  /** Everything was delivered and no more will come. */
  end(): void
}

/**
 * A bounded queue between one source and one sink, which may come in any order. A lost sink is noticed at the next item
 * only, as on the engine.
 */
export interface Pipe {
  setSource(source: PipeSource): void
  setSink(sink: Sink): void
  write(item: PipedMessage): void
  /** No more items will be written. */
  end(): void
  /** The sink is gone: the next write cuts the source. */
  abandon(): void
}

/** @param capacity - how many items wait before the source is paused. */
export function createPipe(capacity: number): Pipe {
  const items: PipedMessage[] = []
  let source: PipeSource | undefined
  let sink: Sink | undefined
  let paused = false
  let sending = false
  let ended = false
  let abandoned = false

  /** Holds the source back while the queue is full. */
  function balance(): void {
    const full = items.length >= capacity && !abandoned
    if (full === paused) return
    paused = full
    if (full) source?.pause()
    else source?.resume()
  }

  function pump(): void {
    if (!sink || sending || abandoned) return
    const item = items.shift()
    if (!item) {
      if (ended) sink.end()
      return
    }
    balance()
    sending = true
    sink.send(item, (delivered) => {
      sending = false
      if (delivered) pump()
      else {
        abandon()
        source?.cut()
      }
    })
  }

  function abandon(): void {
    abandoned = true
    items.length = 0
    // So that a next write can come and be noticed.
    balance()
  }

  return {
    setSource(next) {
      source = next
      if (paused) next.pause()
    },
    setSink(next) {
      sink = next
      pump()
    },
    write(item) {
      if (ended) return
      if (abandoned) {
        source?.cut()
        return
      }
      items.push(item)
      balance()
      pump()
    },
    end() {
      if (ended) return
      ended = true
      pump()
    },
    abandon,
  }
}
