import { MCP_ON_CALL } from '@iii/protocol'
import { type Binding, TriggerAction, type Worker } from '@iii/sdk'

/** The bridges of an engine. Each has a function that is bound to `mcp::on-call`, so that the one which provides that knows them all. */
export interface Siblings {
  /** The function of this bridge. */
  readonly own: string
  /** @returns whether it is that of a bridge */
  bind(binding: Binding): boolean
  /** @returns whether it was that of a bridge */
  unbind(id: string): boolean
  /** Calls the functions of the others, whatever becomes of it. */
  tell(hint: object): void
}

/** Behind a bridge's own prefix. */
const HINT = '::on-subscribers'

/** @param onHint told of what another bridge tells */
export function serveSiblings(
  worker: Pick<Worker, 'registerFunction' | 'registerTrigger' | 'trigger'>,
  via: string,
  onHint: (hint: unknown) => void,
): Siblings {
  const own = `${via}${HINT}`
  /** Their functions, by the binding. */
  const functions = new Map<string, string>()

  worker.registerFunction(own, (hint: unknown) => {
    onHint(hint)
    return {}
  })
  worker.registerTrigger({ type: MCP_ON_CALL, function_id: own, config: {} })

  return {
    own,
    bind(binding) {
      if (!isOfSibling(binding)) return false
      functions.set(binding.id, binding.function_id)
      return true
    },
    unbind: (id) => functions.delete(id),
    tell(payload) {
      for (const function_id of functions.values()) {
        if (function_id === own) continue
        worker.trigger({ function_id, payload, action: TriggerAction.Void() }).catch(() => undefined)
      }
    },
  }
}

export function isOfSibling({ function_id }: Binding): boolean {
  return function_id.startsWith('mcp::') && function_id.endsWith(HINT)
}
