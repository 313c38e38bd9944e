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

/** Does the client take an event stream and nothing else? Then its reply is one SSE frame. */
export function takesOnlyEventStream(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes('text/event-stream')) return false
  let stream = false
  for (const range of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim())
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return false
    stream ||= type === 'text/event-stream'
  }
  return stream
}
