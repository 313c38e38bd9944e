import { Agent, request } from 'node:http'
import { ANSWER_MS, LostReply } from './lost-reply.ts'

/** Posts JSON over kept-alive connections, with as little around it as Node allows. */
export function createHttpCaller(
  url: string,
  body: unknown,
  own: Readonly<Record<string, string>> = { accept: 'application/json' },
): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: ANSWER_MS })
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    ...own,
    'content-length': Buffer.byteLength(text),
  }
  return () =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
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
