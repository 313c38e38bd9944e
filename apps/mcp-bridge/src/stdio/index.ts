import { type Logger, within } from '@iii/sdk'
import { type ClientConnectionOptions, createConnection } from './connection.ts'
import { createIntake } from './intake.ts'
import { createLineReader } from './line-reader.ts'
import { createLineWriter } from './line-writer.ts'
import { readLostMessage } from './lost-message.ts'
import { readMessage } from './message.ts'
import { watchParent } from './parent.ts'
import type { StdioStreams } from './streams.ts'

export interface StdioOptions extends Omit<ClientConnectionOptions, 'writer'> {
  readonly streams: StdioStreams
  readonly log: Logger
}

/** The client of a process that speaks MCP on its stdin and stdout. */
export interface StdioServer {
  /** Resolves when there is nobody to serve any more. */
  readonly done: Promise<void>
  /** Answers what is under way, and gives up what takes too long. Resolves when all of it is out. */
  close(): Promise<void>
}

/** How long requests under way have when this process is to end. */
const GRACE_MS = 1_200
/** How long a client may take to read what it has asked for. */
const FLUSH_MS = 300

/** Serves MCP to the client that started this process: one JSON-RPC message a line. */
export function serveStdio(options: StdioOptions): StdioServer {
  const { streams, log, maxLineBytes } = options
  const { input, output } = streams
  const writer = createLineWriter(output)
  const connection = createConnection({ ...options, writer })
  const reader = createLineReader({
    maxBytes: maxLineBytes,
    onLine(line) {
      const message = readMessage(line)
      if (message !== undefined) connection.take(message)
    },
    onLost: (line) => connection.takeLost(readLostMessage(line)),
  })
  /** Some scripts leave out the last line end. What was broken off is no message. */
  function takeRest(): void {
    const message = readMessage(reader.rest)
    if (message !== undefined && message.kind !== 'invalid') connection.take(message)
  }

  let isReadable = true
  let hasHeard = false
  let stopLooking = (): void => undefined

  const intake = createIntake({
    input,
    writer,
    take(chunk) {
      hasHeard = true
      reader.push(chunk)
    },
  })

  const done = new Promise<void>((resolve) => {
    const leave = (why: string) => {
      connection.hangUp()
      log.info(why)
      resolve()
    }
    stopLooking = watchParent(() => {
      isReadable = false
      leave('the process that started this one has ended')
    })
    output.on('close', () => {
      isReadable = false
      leave('nobody reads stdout any more')
    })
    const onEnd = () => {
      if (!hasHeard) log.warn('stdin ended before a client said anything; --no-stdio serves MCP over HTTP instead')
      leave('stdin has ended')
    }
    input.on('end', onEnd).on('error', onEnd)
  })

  return {
    done,
    async close() {
      stopLooking()
      const endsAt = performance.now() + (isReadable ? GRACE_MS : 0)
      await within(msUntil(endsAt), intake.settled())
      intake.close()
      if (input.readableEnded) takeRest()
      const outAt = endsAt + FLUSH_MS
      // A reply is not over before its client has read it; one that reads nothing is waited for no longer than this.
      await within(msUntil(outAt), connection.close(msUntil(endsAt)))
      await within(msUntil(outAt), writer.flush())
    },
  }
}

function msUntil(at: number): number {
  return Math.max(0, at - performance.now())
}
