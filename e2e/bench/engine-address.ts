import { findHttpAddress } from '@iii/sdk'
import { formatHttpAddress } from '@iii/sdk/cli'
import type { EngineAddress } from '../chosen-engine.ts'
import { connectToEngine } from '../facts.ts'
import { UsageError } from '../usage.ts'

const ANSWER_MS = 5000

/** Where a running engine is: its HTTP port as it was told, or as the engine tells it. @throws UsageError */
export async function findEngine(url: string, http: string | undefined): Promise<EngineAddress> {
  if (!URL.canParse(url)) throw new UsageError(`--engine has to be a URL like ws://127.0.0.1:49134, not '${url}'`)
  if (http !== undefined) return { url, httpUrl: http.replace(/\/+$/, '') }
  await using control = connectToEngine(url, 'bench')
  await control.ready({ timeoutMs: ANSWER_MS }).catch(() => {
    throw new UsageError(`No engine answers at ${url}.`)
  })
  const found = await findHttpAddress((function_id, payload) => control.trigger({ function_id, payload }), url)
  if (found === undefined) throw new UsageError(`${url} does not tell its HTTP port: name it with --http.`)
  return { url, httpUrl: formatHttpAddress(found) }
}
