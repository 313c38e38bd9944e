import type { ServerResponse } from 'node:http'
import type { StdioPipe } from './stdio-pipe.ts'

/** Messages between one client on HTTP and one server on stdio. None is changed, made up or kept back. */
export interface RelaySession {
  /** Carries a request there, and all that comes until its reply back. */
  ask(message: RelayedMessage, response: ServerResponse, isStateless: boolean): void
  /** Carries there what has no reply. */
  tell(message: RelayedMessage): void
  /** Carries back what comes while no request is under way. */
  follow(response: ServerResponse): void
  readonly pipe: StdioPipe
}

export interface RelayedMessage {
  readonly id?: string | number
  readonly method?: string
  readonly error?: { readonly code: number }
}

interface Open {
  readonly response: ServerResponse
  readonly isStateless: boolean
}

export function createRelaySession(pipe: StdioPipe, headers: Readonly<Record<string, string>> = {}): RelaySession {
  /** Requests under way, the last one last. */
  const open = new Map<unknown, Open>()
  let follower: ServerResponse | undefined
  const waiting: string[] = []

  pipe.listen((line) => {
    const message = JSON.parse(line) as RelayedMessage
    const asked = message.method === undefined ? open.get(message.id) : undefined
    if (asked !== undefined) {
      open.delete(message.id)
      reply(asked, line, message)
      return
    }
    // Stdio does not say what a message belongs to; it was said while the last request was under way.
    const response = [...open.values()].at(-1)?.response ?? follower
    if (response === undefined) waiting.push(line)
    else writeEvent(response, line)
  })

  function reply({ response, isStateless }: Open, line: string, { error }: RelayedMessage): void {
    if (response.headersSent) {
      writeEvent(response, line)
      response.end()
      return
    }
    response.writeHead(isStateless ? toStatus(error?.code) : 200, { ...headers, 'content-type': 'application/json' })
    response.end(line)
  }

  function writeEvent(response: ServerResponse, line: string): void {
    if (!response.headersSent) response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    response.write(`event: message\ndata: ${line}\n\n`)
  }

  return {
    pipe,
    ask(message, response, isStateless) {
      open.set(message.id, { response, isStateless })
      response.on('close', () => open.delete(message.id))
      pipe.write(JSON.stringify(message))
    },
    tell: (message) => pipe.write(JSON.stringify(message)),
    follow(response) {
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
      response.flushHeaders()
      follower = response
      response.on('close', () => {
        if (follower === response) follower = undefined
      })
      for (const line of waiting.splice(0)) writeEvent(response, line)
    },
  }
}

const METHOD_NOT_FOUND = -32601

/** In 2026-07-28 the status is a part of an error, and whoever speaks HTTP has to choose it. */
function toStatus(code: number | undefined): number {
  if (code === undefined) return 200
  return code === METHOD_NOT_FOUND ? 404 : 400
}
