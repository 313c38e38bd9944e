/** An event that was sent and may have to be sent again. */
export interface KeptEvent {
  readonly track: string
  readonly seq: number
  readonly frame: string
}

/** What was sent to one client lately, so that it can ask again for what it missed. */
export interface EventBuffer {
  add(event: KeptEvent): void
  /** What was sent on a track after an event of it, the oldest first. */
  after(track: string, seq: number): string[]
  /** Is anything kept that was sent on a track? What was sent last goes last. */
  has(track: string): boolean
  drop(track: string): void
}

export interface BufferLimits {
  readonly events: number
  readonly bytes: number
}

/**
 * The newest event is always kept: it may be a result that nobody has read yet.
 *
 * @param account is told by how much the buffer grows or shrinks
 */
export function createEventBuffer(limits: BufferLimits, account: (bytes: number) => void): EventBuffer {
  let kept: KeptEvent[] = []
  let bytes = 0

  function grow(by: number): void {
    bytes += by
    account(by)
  }

  function trim(): void {
    let first = 0
    while (kept.length - first > 1 && (kept.length - first > limits.events || bytes > limits.bytes)) {
      grow(-(kept[first]?.frame.length ?? 0))
      first++
    }
    if (first > 0) kept = kept.slice(first)
  }

  return {
    add(event) {
      kept.push(event)
      grow(event.frame.length)
      trim()
    },
    after: (track, seq) => kept.filter((event) => event.track === track && event.seq > seq).map(({ frame }) => frame),
    has: (track) => kept.some((event) => event.track === track),
    drop(track) {
      const going = kept.filter((event) => event.track === track)
      if (going.length === 0) return
      kept = kept.filter((event) => event.track !== track)
      grow(-going.reduce((sum, { frame }) => sum + frame.length, 0))
    },
  }
}
