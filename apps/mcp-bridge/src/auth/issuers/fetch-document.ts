import { LOOPBACK } from '@iii/sdk/cli'

/** Reads a JSON document of an issuer. @throws Error whose message says why there is none */
export type FetchDocument = (url: string) => Promise<unknown>

const DEADLINE_MS = 3_000
const MAX_BYTES = 256 * 1024

/** Whether what is read there can be trusted to come from there: over TLS, or from this machine. */
export function isTrustworthy(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

/** From the address itself and nowhere else, in three seconds, and of at most 256 KiB: who answers there may be anybody by then. */
export async function fetchIssuerDocument(url: string, deadlineMs = DEADLINE_MS): Promise<unknown> {
  if (!isTrustworthy(url)) throw new Error(`${url} is neither https nor on this machine`)
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { accept: 'application/json, application/jwk-set+json' },
    signal: AbortSignal.timeout(deadlineMs),
  }).catch((error: unknown) => {
    throw new Error(`${url} does not answer: ${explainFailure(error)}`)
  })
  if (response.status !== 200) {
    await response.body?.cancel().catch(() => undefined)
    throw new Error(`${url} answers ${response.status}`)
  }
  return parseDocument(url, await readText(url, response))
}

async function readText(url: string, { body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const chunks: AsyncIterable<Uint8Array> = body ?? (async function* () {})()
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    throw new Error(`${url} does not answer to its end: ${explainFailure(error)}`)
  }
  if (bytes > MAX_BYTES) throw new Error(`${url} answers with more than ${MAX_BYTES / 1024} KiB`)
  return text + decoder.decode()
}

function parseDocument(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${url} does not answer with JSON`)
  }
}

function explainFailure(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: unknown; message?: unknown } }
  if (name === 'TimeoutError') return 'the time is over'
  return String(cause?.code ?? cause?.message ?? message)
}

/** The same. @param onFetch told how each went */
export function createCountedFetch(onFetch: (outcome: 'ok' | 'failed') => void): FetchDocument {
  return async (url) => {
    try {
      const document = await fetchIssuerDocument(url)
      onFetch('ok')
      return document
    } catch (error) {
      onFetch('failed')
      throw error
    }
  }
}
