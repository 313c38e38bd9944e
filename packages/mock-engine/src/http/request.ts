import type { IncomingMessage } from 'node:http'
import type { Pipe } from '../channels/pipe.ts'
import { objectText, quote } from '../json/build.ts'
import { formatObject, type JsonText } from '../json/json-text.ts'
import { parseJson } from '../json/parse.ts'
import { decodeUtf8 } from '../json/utf8.ts'
import type { HttpRoute } from './routes.ts'

/** A request's target, still encoded. */
export interface RequestTarget {
  readonly path: string
  readonly query: string
}

/** Splits the request line's target, which may be a whole URL. */
export function toRequestTarget(url: string): RequestTarget {
  const local = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1] ?? url
  const [before = ''] = local.split('#', 1)
  const mark = before.indexOf('?')
  return mark < 0 ? { path: before, query: '' } : { path: before.slice(0, mark), query: before.slice(mark + 1) }
}

/** Whether a target has only characters that one may have; Node's parser lets a few more through. */
export function isReadableTarget({ path, query }: RequestTarget): boolean {
  return !/[<>`]/.test(path) && !/[<>"]/.test(query)
}

/** The members of a request that its handler, its condition and its middleware see. */
export function requestMembers(
  request: IncomingMessage,
  target: RequestTarget,
  route: HttpRoute,
  params: ReadonlyMap<string, string>,
): Record<string, JsonText> {
  return {
    method: quote(request.method ?? 'GET'),
    headers: formatObject(headerTexts(request)),
    path_params: stringMap(params),
    query_params: stringMap(new Map(new URLSearchParams(`?${target.query}`))),
    path: quote(route.apiPath),
    trigger: objectText({ type: '"http"', path: quote(route.apiPath), method: quote(route.method) }),
  }
}

function stringMap(values: ReadonlyMap<string, string>): JsonText {
  return formatObject(new Map([...values].map(([key, value]) => [key, quote(value)])))
}

/** Lower-case names, the last of repeated ones; a value with a byte beyond ASCII is empty. */
function headerTexts({ rawHeaders }: IncomingMessage): Map<string, JsonText> {
  const headers = new Map<string, JsonText>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? ''
    headers.set((rawHeaders[i] ?? '').toLowerCase(), /[\u0080-\u{10ffff}]/u.test(value) ? '""' : quote(value))
  }
  return headers
}

/** Whether the engine reads the body as JSON: the first content type says so, in lower case. */
export function isJsonRequest(request: IncomingMessage): boolean {
  return firstHeader(request, 'content-type')?.includes('application/json') ?? false
}

/** The first of repeated headers. @param name - in lower case. */
export function firstHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const at = rawHeaders.findIndex((key, i) => i % 2 === 0 && key.toLowerCase() === name)
  return at < 0 ? undefined : rawHeaders[at + 1]
}

/** A JSON body, `null` for anything that cannot be read. */
export function parseBody(bytes: Buffer): JsonText {
  return parseJson(decodeUtf8(bytes) ?? '') ?? 'null'
}

/** Reads a whole body; one that breaks off never resolves, since nobody waits for it then. */
export function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => resolve(Buffer.concat(pieces)))
  })
}

/** Sends a body to its channel piece by piece; a slow reader slows the client down. */
export function pipeBody(request: IncomingMessage, pipe: Pipe): void {
  pipe.setSource({
    pause: () => request.pause(),
    resume: () => request.resume(),
    cut: () => request.resume(),
  })
  request.on('data', (piece: Buffer) => pipe.write({ data: piece, binary: true }))
  request.on('close', () => pipe.end())
}
