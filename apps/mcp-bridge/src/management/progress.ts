import type { Reach } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { readProgressToken } from '../mcp/rpc.ts'

/** Tells the client of a request how far it is. Costs nothing where the client did not ask for that. */
export type TellProgress = (progress: number, total: number, message: string) => void

/** @param params those of the request */
export function createTellProgress({ notify }: Reach, params: Params<'tools/call'>): TellProgress {
  const progressToken = readProgressToken(params)
  if (progressToken === undefined) return () => undefined
  return (progress, total, message) => {
    // Whoever has left reads nothing, and that is no trouble here.
    notify('notifications/progress', { progressToken, progress, total, message }).catch(() => undefined)
  }
}
