/** One event of a stream; comments have text alone. */
export interface StreamEvent {
  readonly comment?: string
  readonly id?: string
  readonly retry?: string
  readonly event?: string
  /** The JSON in it; undefined where the data are empty. */
  readonly message?: Record<string, unknown> | undefined
}

/** Reads a response as server-sent events, one at a time. */
export interface EventReader {
  readonly response: Response
  /** Resolves with undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>
  /** The next that is no comment and has a message. */
  nextMessage(): Promise<Record<string, unknown> | undefined>
  /** All that are left. */
  rest(): Promise<StreamEvent[]>
  /** Leaves, as a client does that goes away. */
  leave(): void
}

/** Sends a request and hands out its events as they come. */
export async function openEvents(url: string, init: RequestInit): Promise<EventReader> {
  const controller = new AbortController()
  const response = await fetch(url, { ...init, signal: controller.signal })
  const chunks = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''

  async function next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const event = toEvent(text.slice(0, end))
        text = text.slice(end + 2)
        return event
      }
      const chunk = await chunks?.read()
      if (chunk === undefined || chunk.done) return undefined
      text += decoder.decode(chunk.value, { stream: true })
    }
  }

  return {
    response,
    next,
    async nextMessage() {
      for (;;) {
        const event = await next()
        if (event === undefined || event.message !== undefined) return event?.message
      }
    },
    async rest() {
      const events: StreamEvent[] = []
      for (let event = await next(); event !== undefined; event = await next()) events.push(event)
      return events
    },
    leave: () => controller.abort(),
  }
}

/** Posts a JSON-RPC message as a client does that takes both forms of a reply. */
export function postInit(message: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  }
}

function toEvent(text: string): StreamEvent {
  const fields: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const at = line.indexOf(':')
    fields[line.slice(0, at) || 'comment'] = line.slice(at + 1).trim()
  }
  const { data, ...event } = fields
  return data === undefined
    ? event
    : { ...event, message: data === '' ? undefined : (JSON.parse(data) as Record<string, unknown>) }
}
