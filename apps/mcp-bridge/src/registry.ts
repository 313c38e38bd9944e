import { type FunctionContract, toFault } from '@iii/protocol'
import { InvocationError, type Worker } from '@iii/sdk'
import { isObject, RPC, RpcError } from './rpc.ts'

/** The skills worker as the bridge uses it: through the engine alone, whether it is there today or not. */
export interface Registry {
  /** The rows of a list; none where the registry is not installed. @throws RpcError when it cannot answer */
  list(contract: FunctionContract, key: string, timeoutMs: number): Promise<Record<string, unknown>[]>
  /** @throws RpcError that says how to install a registry that is not there; else what the registry said */
  ask(contract: FunctionContract, payload: unknown, options: AskOptions): Promise<unknown>
}

export interface AskOptions {
  readonly timeoutMs: number
  readonly metadata: unknown
  readonly signal: AbortSignal | undefined
}

export function createRegistry(engine: Pick<Worker, 'trigger'>): Registry {
  return {
    async list(contract, key, timeoutMs) {
      try {
        const answer = await engine.trigger({ function_id: contract.id, timeoutMs })
        const rows = isObject(answer) ? answer[key] : undefined
        if (Array.isArray(rows)) return rows.filter(isObject)
      } catch (error) {
        if (isAbsent(error, contract.id)) return []
        throw toRegistryError(error)
      }
      throw new RpcError(RPC.internal, `The registry answered ${contract.id} without '${key}'`)
    },
    async ask(contract, payload, options) {
      try {
        return await engine.trigger({ function_id: contract.id, payload, ...options })
      } catch (error) {
        if (!isAbsent(error, contract.id)) throw error
        throw new RpcError(
          RPC.internal,
          'The skills worker is not installed on this engine; install it with: iii worker add skills',
        )
      }
    },
  }
}

/** Only the engine itself answers so; a function that is missing further down comes as the registry's own failure. */
function isAbsent(error: unknown, functionId: string): boolean {
  return error instanceof InvocationError && error.code === 'function_not_found' && error.function_id === functionId
}

/** What a client reads when the registry failed. */
export function toRegistryError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  const fault = toFault(error)
  return new RpcError(fault.code === 'invalid_input' ? RPC.invalidParams : RPC.internal, fault.message)
}
