import { isObject, type JsonObject } from './rpc.ts'

/** What the client of a request calls it in `notifications/progress`; undefined where it does not want to hear of progress. */
export function readProgressToken({ _meta }: JsonObject): string | number | undefined {
  const token = isObject(_meta) ? _meta['progressToken'] : undefined
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as string | number) : undefined
}
