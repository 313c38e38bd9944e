import { Agent, request } from 'node:http'
import { ANSWER_MS, LostReply } from './lost-reply.ts'

type Headers = Readonly<Record<string, string>>

/**
 * Posts JSON over kept-alive connections, with as little around it as Node allows.
 *
 * @param own headers of all requests, or what tells those of the next one
 */
export function createHttpCaller(
  url: string,
  body: unknown,
  own: Headers | (() => Headers) = { accept: 'application/json' },
): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: ANSWER_MS })
  const text = JSON.stringify(body)
  const toHeaders = (some: Headers) => ({
    'content-type': 'application/json',
    ...some,
    'content-length': Buffer.byteLength(text),
  })
  const tell = typeof own === 'function' ? () => toHeaders(own()) : always(toHeaders(own))
  return () =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers: tell() }, (response) => {
        response.on('error', reject)
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        )
        response.resume()
      })
      outgoing.on('error', reject)
      outgoing.on('timeout', () => outgoing.destroy(new LostReply(`${url} does not answer`)))
      outgoing.end(text)
    })
}

function always<T>(value: T): () => T {
  return () => value
}
