import { request } from 'node:http'
import type { HttpAddress } from '@iii/sdk'
import { isObject, type JsonObject } from '../rpc.ts'

/** What came back over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The JSON object in the body, if there is one. */
  readonly json: JsonObject | undefined
}

const MAX_BYTES = 1024 * 1024

/** Asks the engine's HTTP port. @throws when nobody answers */
export function ask(
  { host, port }: HttpAddress,
  options: { method: string; path: string; body?: unknown; timeoutMs: number },
): Promise<HttpAnswer> {
  const { method, path, body, timeoutMs } = options
  const text = body === undefined ? undefined : JSON.stringify(body)
  // A bridge answers to this name whatever else it is told.
  const headers: Record<string, string> = { host: `localhost:${port}`, accept: 'application/json, text/event-stream' }
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

function readJson(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.replace(/^event: message\ndata: /, ''))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
