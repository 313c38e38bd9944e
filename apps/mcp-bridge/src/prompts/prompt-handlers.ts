import { DEFAULT_NAMESPACE, type JsonObject, promptsFunctions } from '@iii/protocol'
import type { Denial } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { type RegistryClient, RegistrySilence } from '../resources/registry.ts'

/** The function behind each prompt, by its name; undefined where the registry does not say. */
export type FunctionOf = ReadonlyMap<unknown, string | undefined>

/** Which functions render the prompts. Only `prompts::list` tells; a registry without it lists them for MCP and renders them all the same. */
export interface PromptHandlers {
  /** Of all prompts; none where there is no registry. @throws RpcError when it cannot answer */
  list(timeoutMs: number): Promise<FunctionOf>
  /** The same for what can do without: what the registry said last where it does not answer, at once for 10 s after that. All share one question. @throws RpcError when it cannot answer */
  glance(timeoutMs: number): Promise<FunctionOf>
  /** The same of one prompt; none where it is not there. @throws RpcError also when there is no registry */
  search(name: string, timeoutMs: number): Promise<FunctionOf>
  /** What a client reads whose call of a prompt is denied: the function of the prompt may be away with its worker. @throws RpcError when the registry cannot answer */
  toRefusal(name: string, denial: Denial, timeoutMs: number): Promise<RpcError>
}

/** So long nobody waits again for a registry that did not answer. */
const SILENCE_MS = 10_000

/** @param own the namespace of the bridge */
export function createPromptHandlers(
  registry: Pick<RegistryClient, 'find' | 'list' | 'search'>,
  own: string = DEFAULT_NAMESPACE,
  now: () => number = () => performance.now(),
): PromptHandlers {
  let last: FunctionOf = new Map()
  let silentAt = Number.NEGATIVE_INFINITY
  let asking: Promise<FunctionOf> | undefined

  async function ask(ofMcp: 'list' | 'search', timeoutMs: number, name?: string): Promise<FunctionOf> {
    const rows = await registry.find(promptsFunctions.list, 'prompts', timeoutMs, { name })
    if (rows !== undefined)
      return new Map(rows.map((row) => toHandler(row, own)).filter(([, functionId]) => functionId !== undefined))
    return new Map(
      (await registry[ofMcp](promptsFunctions.mcpList, 'prompts', timeoutMs)).map((row) => toHandler(row, own)),
    )
  }

  async function glance(timeoutMs: number): Promise<FunctionOf> {
    try {
      last = await ask('list', timeoutMs)
      silentAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      const isSilent = error instanceof RegistrySilence
      silentAt = isSilent ? now() : Number.NEGATIVE_INFINITY
      if (!isSilent) throw error
    } finally {
      asking = undefined
    }
    return last
  }

  return {
    list: (timeoutMs) => ask('list', timeoutMs),
    async glance(timeoutMs) {
      asking ??= glance(timeoutMs)
      if (now() - silentAt > SILENCE_MS) return asking
      asking.catch(() => undefined)
      return last
    },
    search: (name, timeoutMs) => ask('search', timeoutMs, name),
    async toRefusal(name, { reason, message }, timeoutMs) {
      // A handler that is hidden is the operator's decision; one that is not there or not known is our trouble.
      const isInternal = reason === 'unverified' || reason === 'unknown'
      const worker = reason === 'unknown' ? await findAwayWith(name, timeoutMs) : undefined
      const away = `The prompt ${name} is away with its worker '${worker}', and is back when that is`
      return new RpcError(isInternal ? RPC.internal : RPC.invalidParams, worker === undefined ? message : away)
    },
  }

  async function findAwayWith(name: string, timeoutMs: number): Promise<string | undefined> {
    const rows = await registry.find(promptsFunctions.list, 'prompts', timeoutMs, { name })
    const worker = rows?.find((row) => row['name'] === name)?.['away']
    return typeof worker === 'string' ? worker : undefined
  }
}

/** The name of a prompt, and the key of its function, which is where the worker was that registered the prompt. @param own the namespace of the bridge */
export function toHandler(
  { name, function_id: id, namespace }: JsonObject,
  own: string,
): readonly [unknown, string | undefined] {
  if (typeof id !== 'string') return [name, undefined]
  const isElsewhere = typeof namespace === 'string' && namespace !== own
  return [name, toKey({ namespace: isElsewhere ? namespace : undefined, id })]
}
