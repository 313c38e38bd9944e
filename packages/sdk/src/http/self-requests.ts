import { randomUUID } from 'node:crypto'
import type { HttpAddress } from './address.ts'
import { askHttp, type HttpAnswer } from './request.ts'

/** Requests of this process to its own routes, which it knows again by a nonce and answers before any handler. */
export interface SelfRequests {
  /** @returns undefined when the request came here and its answer back; else what came instead @throws when nobody answers */
  send(address: Pick<HttpAddress, 'host' | 'port'>, to: SelfRequest): Promise<HttpAnswer | undefined>
  /** Those that are under way, by nonce, and whether each has arrived. */
  readonly underWay: ReadonlyMap<string, boolean>
  /** The reply to a request of our own; undefined for anything else. */
  answer(payload: unknown): object | undefined
}

export interface SelfRequest {
  readonly method: string
  readonly path: string
  readonly timeoutMs: number
}

const HEADER = 'iii-route-check'
const ARRIVED = 204

export function createSelfRequests(): SelfRequests {
  const underWay = new Map<string, boolean>()
  return {
    underWay,
    async send(address, to) {
      const nonce = randomUUID()
      underWay.set(nonce, false)
      try {
        const answer = await askHttp(address, { ...to, headers: { [HEADER]: nonce } })
        return underWay.get(nonce) && answer.status === ARRIVED ? undefined : answer
      } finally {
        underWay.delete(nonce)
      }
    },
    answer(payload) {
      const nonce = readNonce(payload)
      if (nonce === undefined || !underWay.has(nonce)) return undefined
      underWay.set(nonce, true)
      return { status_code: ARRIVED }
    },
  }
}

function readNonce(payload: unknown): string | undefined {
  const headers = (payload as { headers?: unknown } | null | undefined)?.headers
  const nonce = (headers as Record<string, unknown> | null | undefined)?.[HEADER]
  return typeof nonce === 'string' ? nonce : undefined
}
