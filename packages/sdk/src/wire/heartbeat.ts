export interface HeartbeatTimings {
  /** How often a WebSocket ping goes out. */
  pingEveryMs: number
  /** A connection on which nothing at all came for so long is dead. */
  deadAfterMs: number
}

export interface Heartbeat {
  /** Something came from the engine. */
  touch(): void
  stop(): void
}

/**
 * Notices a peer that is gone without a word. A process that was itself asleep or busy for long (its own check came
 * late) asks once more before it believes that.
 */
export function startHeartbeat(timings: HeartbeatTimings, ping: () => void, dead: () => void): Heartbeat {
  const everyMs = Math.min(timings.pingEveryMs, timings.deadAfterMs) / 2
  let heardAt = performance.now()
  let pingedAt = heardAt
  let checkedAt = heardAt
  const timer = setInterval(() => {
    const now = performance.now()
    const overslept = now - checkedAt > everyMs * 2
    checkedAt = now
    if (overslept) heardAt = Math.max(heardAt, now - timings.deadAfterMs + timings.pingEveryMs)
    if (now - heardAt >= timings.deadAfterMs) return dead()
    if (overslept || now - pingedAt >= timings.pingEveryMs) {
      pingedAt = now
      ping()
    }
  }, everyMs)
  return {
    touch: () => {
      heardAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}
