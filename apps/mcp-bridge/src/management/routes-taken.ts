import { isRecord, type JsonObject } from '@iii/protocol'
import { findParamConflict, type Worker } from '@iii/sdk'

/**
 * Says whether a new HTTP route would take one that is there away, as the last one to register a route gets it, or could not stand beside it:
 * the engine's router does not survive two names for the same parameter.
 *
 * @throws what the engine says
 */
export async function explainTaken(
  engine: Pick<Worker, 'trigger'>,
  config: JsonObject,
  timeoutMs: number,
): Promise<string | undefined> {
  const payload = { trigger_type: 'http', include_internal: true }
  const answer = await engine.trigger({ function_id: 'engine::registered-triggers::list', payload, timeoutMs })
  const rows = isRecord(answer) ? answer['registered_triggers'] : undefined
  if (!Array.isArray(rows)) throw new TypeError('The engine answered without a list of triggers')
  const routes = rows.flatMap((row: unknown) =>
    isRecord(row) && isRecord(row['config']) ? toRoute(row['config']) : [],
  )
  const [wanted] = toRoute(config)
  if (wanted === undefined) return undefined
  if (routes.some(({ method, path }) => method === wanted.method && path === wanted.path)) {
    return `${wanted.method} ${wanted.path} is served already; choose another api_path, or unregister that trigger first`
  }
  const other = findParamConflict(
    wanted.path,
    routes.map(({ path }) => path),
  )
  return other === undefined
    ? undefined
    : `api_path '${wanted.path}' and '${other}' name the same parameter differently; use one name`
}

function toRoute({ api_path: path, http_method: method = 'GET' }: JsonObject): { method: string; path: string }[] {
  if (typeof path !== 'string' || typeof method !== 'string') return []
  return [{ method: method.toUpperCase(), path: `/${path.replace(/^\//, '')}` }]
}
