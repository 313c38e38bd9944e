/** What kind of body a request has, and what kind of reply it takes. */

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Says why a request body cannot be read, judging by its headers alone.
 *
 * @returns the reason, or undefined for uncompressed JSON
 */
export function refuseBodyType(headers: Headers): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') return 'Content-Encoding is not supported: send the body uncompressed'
  const essence = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  return essence === 'application/json' ? undefined : 'The Content-Type must be application/json'
}

/** The reply that a client takes: plain JSON, an event stream, or whichever fits. */
export type ReplyForm = 'json' | 'event' | 'either'

const MAX_KNOWN = 64
const known = new Map<string, ReplyForm>()

/** Reads an Accept header. What names neither form, and no header at all, means JSON: such a client cannot read events. */
export function toReplyForm(accept: string | undefined): ReplyForm {
  if (!accept) return 'json'
  const form = known.get(accept) ?? readForm(accept)
  // Clients of one kind all send the same few words.
  if (known.size < MAX_KNOWN) known.set(accept, form)
  return form
}

function readForm(accept: string): ReplyForm {
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
  if (!isTaken(ranges, ['text/event-stream', 'text/*', '*/*'])) return 'json'
  return isTaken(ranges, ['application/json', 'application/*', '*/*']) ? 'either' : 'event'
}

/** @param names what a type is called, the most exact first: the first that the header has decides */
function isTaken(ranges: readonly string[][], names: readonly string[]): boolean {
  for (const name of names) {
    const range = ranges.find(([type]) => type === name)
    if (range !== undefined) return !range.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  }
  return false
}
