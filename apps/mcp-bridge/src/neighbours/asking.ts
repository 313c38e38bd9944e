import { DEFAULT_NAMESPACE, isRecord, readInstance } from '@iii/protocol'
import { type AskEngine, findOwner, InvocationError } from '@iii/sdk'
import { parseApiPath, parseHandlerId } from '../mcp/api-path.ts'
import { parseSettingsId, parseTold, type ToldSettings } from './told-settings.ts'

/** A bridge that runs on an engine, and tells what it works with. */
export interface Bridge extends ToldSettings {
  readonly instance: string
  /** `worker 'mcp' (id 5b1…, version 0.1.0, pid 4711 on host-a)` */
  readonly text: string
  /** Where clients would reach it over HTTP. */
  readonly path: string | undefined
  /** Whether the engine calls it for what comes in there. */
  readonly serves: boolean
}

/** A path that the engine calls a bridge for. */
export interface ServedPath {
  readonly path: string
  /** Undefined for one that does not tell what it works with: of another version, or silent. */
  readonly bridge: Bridge | undefined
}

/** The bridges of a namespace. */
export interface Bridges {
  readonly all: readonly Bridge[]
  readonly served: readonly ServedPath[]
}

/** Each client that starts a server has one; those that serve a path are asked first. */
const MAX_ASKED = 32

/**
 * Asks the bridges of an engine what they work with.
 *
 * @param ask with a deadline for each question
 * @param namespace where they are; undefined for `default`
 * @throws InvocationError when the engine does not answer
 */
export async function askBridges(ask: AskEngine, namespace: string = DEFAULT_NAMESPACE): Promise<Bridges> {
  const { owners, instances } = readRows(
    await ask('engine::functions::list', { prefix: 'mcp::', include_internal: true }),
    namespace,
  )
  const serving = new Set([...owners.values()])
  const wanted = [...instances.filter((one) => serving.has(one)), ...instances.filter((one) => !serving.has(one))]
  const asked = wanted.slice(0, MAX_ASKED).map((instance) => askBridge({ ask, namespace, owners }, instance))
  const all = (await Promise.all(asked)).filter((bridge) => bridge !== undefined)
  const served = [...owners].map(([path, owner]) => ({
    path,
    bridge: all.find(({ instance }) => instance === owner),
  }))
  return { all, served }
}

interface Found {
  /** Who is called for a path, by its instance; undefined for one that has none. */
  readonly owners: ReadonlyMap<string, string | undefined>
  /** Of the bridges that tell what they work with. */
  readonly instances: readonly string[]
}

function readRows(answer: unknown, namespace: string): Found {
  const rows: unknown = isRecord(answer) ? answer['functions'] : undefined
  const owners = new Map<string, string | undefined>()
  const instances: string[] = []
  for (const { function_id: id, metadata, namespace: where = namespace } of (Array.isArray(rows) ? rows : []).filter(
    isRecord,
  )) {
    if (typeof id !== 'string' || where !== namespace) continue
    const path = parseHandlerId(id)
    if (path !== undefined) owners.set(path, readInstance(metadata))
    const instance = parseSettingsId(id)
    if (instance !== undefined) instances.push(instance)
  }
  return { owners, instances }
}

interface Asking extends Pick<Found, 'owners'> {
  readonly ask: AskEngine
  readonly namespace: string
}

/** @returns undefined for one that is gone, or that says what nobody can read: one of another version */
async function askBridge({ ask, namespace, owners }: Asking, instance: string): Promise<Bridge | undefined> {
  const id = `mcp::${instance}::settings`
  try {
    const [answer, owner] = await Promise.all([ask(id, {}), findOwner(ask, id, namespace)])
    const told = parseTold(answer)
    if (told === undefined) return undefined
    const path = told.http ? parseApiPath(told.settings.apiPath)?.path : undefined
    const serves = path !== undefined && owners.get(path) === instance
    return { ...told, instance, path, serves, text: owner?.text ?? 'a bridge' }
  } catch (error) {
    if (error instanceof InvocationError) return undefined
    throw error
  }
}

/** @example formatPlace(bridge) // "worker 'mcp' (pid 4711 on host-a) on standby at /mcp" */
export function formatPlace({ text, path, serves }: Bridge): string {
  if (path === undefined) return `${text} over stdio`
  return serves ? `${text} at ${path}` : `${text} on standby at ${path}`
}
