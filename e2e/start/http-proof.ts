import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from '@iii/sdk'
import { explainConnect } from './reach.ts'

const ROUTE_DEADLINE_MS = 5000
const ANSWER_DEADLINE_MS = 5000
/** An engine that was told of a route may need this long until it serves it. */
const NOT_FOUND_MS = 1000
const BETWEEN_LOOKS_MS = 50

/**
 * Whether a URL leads to the engine that we are connected to, and not to another one: a request to a path that nobody can
 * guess has to arrive at a function of ours. The path lies below the one that will be announced.
 *
 * @returns what answers there instead; undefined when it is the engine.
 */
export async function disproveHttpUrl(control: Worker, httpUrl: string): Promise<string | undefined> {
  const nonce = randomUUID()
  const path = `mcp/start-${nonce}`
  const reached = control.registerFunction(`start::reached_${nonce}`, () => ({ status_code: 200, body: { nonce } }), {
    description: 'Proves to `start` where this engine answers HTTP.',
    metadata: { 'mcp.expose': false },
  })
  const config = { api_path: path, http_method: 'GET' }
  const route = control.registerTrigger({ type: 'http', function_id: reached.id, config })
  try {
    await control.ready({ timeoutMs: ROUTE_DEADLINE_MS })
    return await disprove(`${httpUrl}/${path}`, nonce)
  } finally {
    route.unregister()
    reached.unregister()
  }
}

async function disprove(url: string, nonce: string): Promise<string | undefined> {
  const giveUp = performance.now() + NOT_FOUND_MS
  for (;;) {
    const answer = await read(url)
    if (typeof answer === 'string') return answer
    if (answer.status === 200 && answer.text.includes(nonce)) return undefined
    if (answer.status !== 404 || performance.now() > giveUp) return `another server answers there (${answer.status})`
    await pause(BETWEEN_LOOKS_MS)
  }
}

/** @returns the answer, or why there is none. */
async function read(url: string): Promise<{ status: number; text: string } | string> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_DEADLINE_MS) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    if (error.name === 'TimeoutError') return `no answer within ${ANSWER_DEADLINE_MS / 1000} seconds`
    return explainConnect(error.cause instanceof Error ? error.cause : error)
  }
}
