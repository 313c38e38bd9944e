import { type ChannelRef, type ChannelWriter, type Logger, within } from '@iii/sdk'
import type { ExpiryWatch } from '../auth/expiry-watch.ts'
import type { Principal } from '../auth/principal.ts'
import { createEventStream, type EventStream, type StreamEnd, type StreamTimings } from './event-stream.ts'
import type { PendingReplies } from './pending-replies.ts'
import { createStreamSlots, type StreamSlot, type StreamSlotsOptions } from './stream-slots.ts'

/** The streams that are open at the moment. */
export interface EventStreams {
  /**
   * In the place of an older one of the same session, where as many are open as this server bears, or as one session may have.
   *
   * @returns undefined when there is none that would give its place up
   */
  open(request: StreamRequest): EventStream | undefined
  /** How many are open. */
  readonly count: number
  /** Gives replies that are under way a moment, then ends all streams. Resolves when they are over. */
  close(): Promise<void>
}

export interface StreamRequest {
  readonly ref: ChannelRef
  /** Whose it is, for streams that count together. */
  readonly owner?: string | undefined
  readonly principal: Principal
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A reply ends it, also when this server stops. @default false */
  readonly isForReply?: boolean
  /** What its reader is told before it ends with this server. */
  readonly lastFrame?: string | undefined
  /** What it goes on with, and whose place it takes. */
  readonly instead?: EventStream | undefined
  readonly onOver: (how: StreamEnd) => void
}

export interface StreamsOptions extends StreamSlotsOptions {
  readonly openWriter: (ref: ChannelRef) => ChannelWriter
  readonly timings: StreamTimings
  readonly follow: ExpiryWatch['follow']
  readonly replies: Pick<PendingReplies, 'stop'>
  /** How long replies that are under way have when this server stops. */
  readonly graceMs: number
  readonly log: Logger
}

/** What keeps streams from being opened keeps many from it. */
const WARN_EVERY_MS = 60_000

/** How long the ends of streams may take when this server stops; who has not read them by then is cut off. */
const LAST_WORDS_MS = 500

export function createStreams({
  openWriter,
  timings,
  follow,
  replies,
  graceMs,
  log,
  ...limits
}: StreamsOptions): EventStreams {
  const slots = createStreamSlots(limits)
  let isClosed = false
  let warnedAt = Number.NEGATIVE_INFINITY

  function warnUnopened({ message }: Error): void {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    log.error(
      { reason: message },
      'a stream could not be opened: replies go out without progress, and who wants to listen is refused',
    )
  }

  return {
    get count() {
      return slots.all.size
    },
    open({ ref, owner, principal, headers = {}, isForReply = false, lastFrame, instead, onOver }) {
      if (isClosed || !slots.makeRoom({ owner, principal, isForReply }, instead)) return undefined
      const stream = createEventStream({
        writer: openWriter(ref),
        headers,
        timings,
        onOver(how, problem) {
          unfollow()
          slots.remove(slot)
          if (how === 'unopened' && problem !== undefined) warnUnopened(problem)
          if (how === 'behind')
            log.warn({ session: owner, ms: timings.stallMs }, 'a stream was cut: its reader is behind')
          onOver(how)
        },
      })
      const slot: StreamSlot = { stream, owner, principal, isForReply, lastFrame }
      // A reply is for a request that was let in; what goes on by itself ends with its reader's right to it.
      const unfollow = isForReply ? () => undefined : follow(principal, () => void stream.end())
      slots.add(slot)
      return stream
    },
    async close() {
      isClosed = true
      const open = [...slots.all]
      for (const { stream, isForReply, lastFrame } of open) {
        if (isForReply) continue
        if (lastFrame !== undefined) void stream.send(lastFrame)
        void stream.end()
      }
      await replies.stop(graceMs)
      await within(LAST_WORDS_MS, Promise.all(open.map(({ stream }) => stream.over)))
      for (const { stream } of slots.all) stream.cut()
    },
  }
}
