import { isRecord } from '@iii/protocol'
import type { HttpAddress } from '@iii/sdk'
import { ASK_MS, askHttp } from '@iii/sdk/cli'

/** What a client lists. */
export interface ListedCounts {
  readonly tools: number
  readonly prompts: number
  readonly resources: number
}

/** Asks for the lists as a client over HTTP does. @returns undefined where nobody answers them */
export async function countAsClient(address: HttpAddress, path: string): Promise<ListedCounts | undefined> {
  const [tools, prompts, resources] = await Promise.all(
    ['tools', 'prompts', 'resources'].map((what) => count(address, path, what)),
  )
  if (tools === undefined || prompts === undefined || resources === undefined) return undefined
  return { tools, prompts, resources }
}

async function count(address: HttpAddress, path: string, what: string): Promise<number | undefined> {
  const body = { jsonrpc: '2.0', id: 1, method: `${what}/list`, params: {} }
  const headers = { accept: 'application/json, text/event-stream' }
  const answer = await askHttp(address, { method: 'POST', path, headers, body, timeoutMs: ASK_MS }).catch(
    () => undefined,
  )
  const result = answer?.json?.['result']
  const rows: unknown = isRecord(result) ? result[what] : undefined
  return Array.isArray(rows) ? rows.length : undefined
}
