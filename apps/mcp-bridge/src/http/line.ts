import { type EventStream, KEEP_ALIVE } from './event-stream.ts'
import { toEvent } from './reply.ts'

/** What carries the messages that precede a reply, and then the reply. */
export interface Line {
  /** @returns true once there is room for more, false when nobody will ever read it */
  send(message: string): Promise<boolean>
  /** Shows that somebody is there. */
  comment(): void
  /** Ends the response without ending the line: its reader comes back for the rest. @returns false where it could not */
  pause(): Promise<boolean>
  /** Ends it, after a last message where there is one. */
  end(message?: string): Promise<void>
}

/** Opens a response. @param onOver is told when it is over @returns undefined when too many are open */
export type OpenStream = (onOver: () => void) => EventStream | undefined

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
