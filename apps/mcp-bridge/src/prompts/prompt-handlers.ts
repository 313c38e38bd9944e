import { DEFAULT_NAMESPACE, type JsonObject, promptsFunctions } from '@iii/protocol'
import { toKey } from '../gate/sight.ts'
import type { Registry } from '../resources/registry.ts'

/** The function behind each prompt, by its name; undefined where the registry does not say. */
export type FunctionOf = ReadonlyMap<unknown, string | undefined>

/** Which functions render the prompts. Only `prompts::list` tells; a registry without it lists them for MCP and renders them all the same. */
export interface PromptHandlers {
  /** Of all prompts; none where there is no registry. @throws RpcError when it cannot answer */
  list(timeoutMs: number): Promise<FunctionOf>
  /** The same. @throws RpcError also when there is no registry */
  search(timeoutMs: number): Promise<FunctionOf>
}

/** @param own the namespace of the bridge */
export function createPromptHandlers(
  registry: Pick<Registry, 'find' | 'list' | 'search'>,
  own: string = DEFAULT_NAMESPACE,
): PromptHandlers {
  async function ask(ofMcp: 'list' | 'search', timeoutMs: number): Promise<FunctionOf> {
    const rows = await registry.find(promptsFunctions.list, 'prompts', timeoutMs)
    if (rows !== undefined)
      return new Map(rows.map((row) => toHandler(row, own)).filter(([, functionId]) => functionId !== undefined))
    return new Map(
      (await registry[ofMcp](promptsFunctions.mcpList, 'prompts', timeoutMs)).map((row) => toHandler(row, own)),
    )
  }

  return { list: (timeoutMs) => ask('list', timeoutMs), search: (timeoutMs) => ask('search', timeoutMs) }
}

/** The function is where the worker was that registered the prompt. */
function toHandler(
  { name, function_id: id, namespace }: JsonObject,
  own: string,
): readonly [unknown, string | undefined] {
  if (typeof id !== 'string') return [name, undefined]
  const isElsewhere = typeof namespace === 'string' && namespace !== own
  return [name, toKey({ namespace: isElsewhere ? namespace : undefined, id })]
}
