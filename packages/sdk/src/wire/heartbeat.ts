import type { Traffic } from './traffic.ts'

export interface HeartbeatTimings {
  /** How often a WebSocket ping goes out. */
  pingEveryMs: number
  /** A connection on which nothing at all came for so long is dead; one on which no ping was answered, after twice as long. */
  deadAfterMs: number
}

export interface Heartbeat {
  /** When something came from the engine last. */
  heardAt: number
  /** It has answered a ping: it reads what we send. */
  answered(): void
  stop(): void
}

export interface HeartbeatOptions {
  ping(): void
  dead(why: string): void
  /** What has moved since it was asked last. */
  traffic(): Traffic
}

/**
 * Notices a peer that is gone without a word, or goes on sending and reads nothing. A process that was itself asleep or busy for long (its own check came
 * late) asks once more before it believes that. A ping and its answer come behind what is under way before them: as long as a long message moves on a
 * slow network, nobody is dead.
 */
export function startHeartbeat(timings: HeartbeatTimings, { ping, dead, traffic }: HeartbeatOptions): Heartbeat {
  const everyMs = Math.min(timings.pingEveryMs, timings.deadAfterMs) / 2
  const deafAfterMs = 2 * timings.deadAfterMs
  const startedAt = performance.now()
  let answeredAt = startedAt
  let pingedAt = startedAt
  let checkedAt = startedAt
  let movedAt = startedAt
  const timer = setInterval(() => {
    const now = performance.now()
    const overslept = now - checkedAt > everyMs * 2
    if (hasMovedOn(traffic(), heartbeat.heardAt >= checkedAt)) movedAt = now
    checkedAt = now
    if (overslept) {
      heartbeat.heardAt = Math.max(heartbeat.heardAt, now - timings.deadAfterMs + timings.pingEveryMs)
      answeredAt = Math.max(answeredAt, now - timings.deadAfterMs + timings.pingEveryMs)
    }
    if (now - Math.max(heartbeat.heardAt, movedAt) >= timings.deadAfterMs) {
      return dead(`nothing came from the engine for ${timings.deadAfterMs} ms`)
    }
    if (now - Math.max(answeredAt, movedAt) >= deafAfterMs) {
      return dead(`the engine answered no ping for ${deafAfterMs} ms`)
    }
    if (overslept || now - pingedAt >= timings.pingEveryMs) {
      pingedAt = now
      ping()
    }
  }, everyMs)
  const heartbeat: Heartbeat = {
    heardAt: startedAt,
    answered() {
      answeredAt = performance.now()
      heartbeat.heardAt = answeredAt
    },
    stop: () => clearInterval(timer),
  }
  return heartbeat
}

/** Whether a part of a long message has moved. Where whole messages come, an answer could have come between them. */
function hasMovedOn({ hasLeft, hasCome }: Traffic, hasHeard: boolean): boolean {
  return hasLeft || (hasCome && !hasHeard)
}
