import { DEFAULT_NAMESPACE, isRecord } from '@iii/protocol'
import type { BridgeContext } from './context.ts'

/** Functions other than the bridge's that are bound to a path, each with its worker. */
export async function findRivals(
  { ask: askEngine }: BridgeContext,
  { path, functionId }: { path: string; functionId: string },
): Promise<string[]> {
  const payload = { trigger_type: 'http' }
  const answer = await askEngine('engine::registered-triggers::list', payload).catch(() => undefined)
  const rows: unknown = isRecord(answer) ? answer['registered_triggers'] : undefined
  const found = (Array.isArray(rows) ? rows : []).filter(isRecord).flatMap((row) => {
    const { function_id: id, worker_name: worker, config } = row
    const bound = isRecord(config) ? `/${String(config['api_path']).replace(/^\//, '')}` : undefined
    return bound === path && id !== functionId ? [`${String(id)} (probably of ${String(worker)})`] : []
  })
  return [...new Set(found)]
}

/** The other namespaces in which a function of this id is; none on an engine that has one place for all. */
export async function findOtherNamespaces(
  { ask, session: { said } }: BridgeContext,
  functionId: string,
): Promise<string[]> {
  const payload = { prefix: functionId, include_internal: true }
  const answer = await ask('engine::functions::list', payload).catch(() => undefined)
  const rows: unknown = isRecord(answer) ? answer['functions'] : undefined
  const { namespace: own = DEFAULT_NAMESPACE } = said
  return (Array.isArray(rows) ? rows : []).filter(isRecord).flatMap(({ function_id: id, namespace }) => {
    return id === functionId && typeof namespace === 'string' && namespace !== own ? [namespace] : []
  })
}
