import { type IncomingHttpHeaders, request } from 'node:http'

export interface RawReply {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface RawRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** One HTTP request exactly as given, each on a connection of its own. `fetch` would not send a Host or Origin of our choice. */
export function sendHttp(url: string, { method = 'GET', headers = {}, body }: RawRequest): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
