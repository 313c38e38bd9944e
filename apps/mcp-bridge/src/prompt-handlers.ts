import { promptsFunctions } from '@iii/protocol'
import type { Registry } from './registry.ts'
import type { JsonObject } from './rpc.ts'

/** The function behind each prompt, by its name; undefined where the registry does not say. */
export type FunctionOf = ReadonlyMap<unknown, string | undefined>

/** Which functions render the prompts. Only `prompts::list` tells; a registry without it lists them for MCP and renders them all the same. */
export interface PromptHandlers {
  /** Of all prompts; none where there is no registry. @throws RpcError when it cannot answer */
  list(timeoutMs: number): Promise<FunctionOf>
  /** The same. @throws RpcError also when there is no registry */
  search(timeoutMs: number): Promise<FunctionOf>
}

export function createPromptHandlers(registry: Pick<Registry, 'find' | 'list' | 'search'>): PromptHandlers {
  async function ask(ofMcp: 'list' | 'search', timeoutMs: number): Promise<FunctionOf> {
    const rows = await registry.find(promptsFunctions.list, 'prompts', timeoutMs)
    if (rows !== undefined) return new Map(rows.map(toHandler).filter(([, functionId]) => functionId !== undefined))
    return new Map((await registry[ofMcp](promptsFunctions.mcpList, 'prompts', timeoutMs)).map(toHandler))
  }

  return { list: (timeoutMs) => ask('list', timeoutMs), search: (timeoutMs) => ask('search', timeoutMs) }
}

function toHandler({ name, function_id: id }: JsonObject): readonly [unknown, string | undefined] {
  return [name, typeof id === 'string' ? id : undefined]
}
