import type { Line } from '../mcp/exchange.ts'
import { type EventStream, KEEP_ALIVE } from './event-stream.ts'
import { toEvent } from './reply.ts'

export type { Line } from '../mcp/exchange.ts'

/**
 * Opens a response.
 *
 * @param onOver is told when it is over
 * @param instead the response that it goes on with, whose place it takes
 * @returns undefined when too many are open
 */
export type OpenStream = (onOver: () => void, instead?: EventStream) => EventStream | undefined

/** A line that is one response and nothing more: when that is over, so is the line. */
export function openLine(open: OpenStream, onOver: () => void): Line | undefined {
  const stream = open(onOver)
  if (stream === undefined) return undefined
  return {
    send: (message) => stream.send(toEvent(message)),
    comment: () => void stream.send(KEEP_ALIVE),
    pause: () => Promise.resolve(false),
    end(message) {
      if (message !== undefined) void stream.send(toEvent(message))
      return stream.end()
    },
  }
}
