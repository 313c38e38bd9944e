import { request } from 'node:http'
import { isRecord } from '@iii/protocol'
import type { HttpAddress } from './address.ts'

/** What came back over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The JSON object in the body, be it one event of a stream, if there is one. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

export interface HttpQuestion {
  readonly method: string
  readonly path: string
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly timeoutMs: number
}

const MAX_BYTES = 1024 * 1024

/** Asks the engine's HTTP port. @throws when nobody answers */
export function askHttp(
  { host, port }: Pick<HttpAddress, 'host' | 'port'>,
  question: HttpQuestion,
): Promise<HttpAnswer> {
  const { method, path, body, timeoutMs } = question
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers: Record<string, string> = { host: `localhost:${port}`, ...question.headers }
  if (text !== undefined) headers['content-type'] = 'application/json'
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const outgoing = request({ host, port, path, method, headers, agent: false, signal }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= MAX_BYTES) chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const json = readJson(Buffer.concat(chunks).toString())
        resolve({ status: response.statusCode ?? 0, headers: response.headers, json })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

function readJson(body: string): HttpAnswer['json'] {
  try {
    const value: unknown = JSON.parse(body.replace(/^event: message\ndata: /, ''))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
