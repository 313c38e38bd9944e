import {
  DEFAULT_NAMESPACE,
  Fault,
  isRecord,
  type JsonObject,
  MCP_ON_CALL,
  MCP_ON_CALL_DESCRIPTION,
  McpCallBatch,
  McpCallConfig,
  toFault,
} from '@iii/protocol'
import type { Binding, Logger, Worker } from '@iii/sdk'
import { refuseBinding } from '@iii/sdk/call-feed'
import { createPacer } from '../changes/pacer.ts'
import { createBindingPlaces } from './binding-places.ts'
import { isOfSibling, serveSiblings } from './siblings.ts'
import { createTypeProvider } from './type-provider.ts'

/**
 * Who is bound to `mcp::on-call`. On an engine the last to register a trigger type provides it, and it alone is told of bindings; but every
 * bridge has calls of its own to tell. So each of them asks the engine who is bound: when workers come and go, and when the one that
 * is told says so, and in which namespace their functions are: no list tells. To be found by that one, a bridge is
 * bound to the type itself.
 */
export interface CallBindings {
  /** The engine is there, perhaps again: looks at once. The first time, somebody provides the type after that, and it is known who is bound. */
  arrive(): Promise<void>
  /** Workers have come or gone: looks soon. */
  onEngineChange(): void
  close(): void
}

export interface BindingsOptions {
  readonly worker: Pick<
    Worker,
    'registerFunction' | 'registerTrigger' | 'registerTriggerType' | 'trigger' | 'namespace'
  >
  /** The prefix under `mcp::` that belongs to this bridge process alone. */
  readonly via: string
  readonly timeoutMs: number
  readonly log: Logger
  /** Told of a binding, again when it is another one under the same id. @throws Fault that says why it is refused */
  readonly onBound: (binding: Binding) => void
  readonly onUnbound: (id: string) => void
  /** Those that it was told of and that have not ended. */
  readonly bound: () => Iterable<string>
}

export function serveBindings(options: BindingsOptions): CallBindings {
  const { worker, via, log, onBound, onUnbound } = options
  const ask = createAsk(options)
  const places = createBindingPlaces(worker.namespace)
  /** Counts what the engine said by itself: a look that began before is out of date. */
  let heard = 0
  /** The engine has not told yet. */
  let isNew = true

  const pacer = createPacer((what) => void (what === LOOK ? look() : siblings.tell(places.format())), PACE)

  const type = worker.registerTriggerType(toTriggerType(worker.namespace), {
    registerTrigger(binding) {
      heard++
      if (siblings.bind(binding)) return
      const problem = refuseBinding(MCP_ON_CALL, binding)
      if (problem !== undefined) throw new Fault('forbidden', problem)
      places.note(binding)
      onBound(binding)
      pacer.hint(TELL)
    },
    unregisterTrigger({ id }) {
      heard++
      if (siblings.unbind(id)) return
      onUnbound(id)
      pacer.hint(TELL)
    },
  })
  /** Whoever provided the type may have left: a binding lives where its type is provided. */
  const isProvided = (all: readonly Binding[]) => all.some(({ function_id }) => function_id === siblings.own)
  const provider = createTypeProvider({
    isProvided: () => ask.list().then(isProvided),
    provide: type.refresh,
    onUntold,
  })
  const siblings = serveSiblings(worker, via, (hint) => {
    places.learn(hint)
    pacer.hint(LOOK)
  })

  async function look(onUnprovided = provider.provideSoon): Promise<void> {
    const before = heard
    try {
      const all = await ask.list()
      isNew = false
      const rows = await ask.complete(places.add(all.filter(isSubscriber)), new Set(options.bound()))
      if (heard !== before) return pacer.hint(LOOK)
      if (isProvided(all)) adopt(rows)
      else onUnprovided()
    } catch (error) {
      onUntold(error)
      // Whom the engine does not tell, as on a port with access rules, it tells as the one that provides the type.
      if (isNew && onUnprovided !== provider.provideSoon) onUnprovided()
    }
  }

  /** No event may come that would be another reason to look. What the engine refuses it would refuse again. */
  function onUntold(error: unknown): void {
    log.debug({ reason: String(error) }, 'the engine did not tell who wants to hear of calls')
    if (toFault(error).code === 'deadline') pacer.hint(LOOK)
  }

  function adopt(rows: readonly Binding[]): void {
    const ids = new Set(rows.map(({ id }) => id))
    for (const id of [...options.bound()]) if (!ids.has(id)) onUnbound(id)
    for (const row of rows) {
      try {
        onBound(row)
      } catch (error) {
        log.debug({ function_id: row.function_id, reason: String(error) }, 'a subscriber is not told of calls')
      }
    }
  }

  return {
    async arrive() {
      // Processes begin one after the other; when an engine is there again, all of them see it at once.
      if (isNew) await look(type.refresh)
      await look()
    },
    onEngineChange: () => pacer.hint(LOOK),
    close() {
      provider.close()
      pacer.close()
    },
  }
}

function toTriggerType(namespace: string = DEFAULT_NAMESPACE) {
  return {
    id: MCP_ON_CALL,
    description: MCP_ON_CALL_DESCRIPTION,
    trigger_request_format: McpCallConfig,
    call_request_format: McpCallBatch,
    // Until somebody provides it in another namespace, those of `default` are told of what is bound there.
    shared: namespace === DEFAULT_NAMESPACE,
  }
}

const PACE = { settleMs: 20, gapMs: 100 }
const LOOK = 'look'
const TELL = 'tell'

function createAsk({ worker, timeoutMs }: BindingsOptions) {
  const { namespace: own = DEFAULT_NAMESPACE } = worker
  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs })
  /** Its function may come later: then it is called where it is expected. */
  async function isElsewhere({ function_id: id, namespace: expected = own }: Binding): Promise<boolean> {
    const answer = await ask('engine::functions::list', { prefix: id, include_internal: true })
    const rows: unknown = isRecord(answer) ? answer['functions'] : undefined
    const found = (Array.isArray(rows) ? rows : []).filter((row) => isRecord(row) && row['function_id'] === id)
    return found.length > 0 && found.every(({ namespace = expected }) => namespace !== expected)
  }

  return {
    async list(): Promise<Binding[]> {
      const payload = { trigger_type: MCP_ON_CALL, include_internal: true }
      const answer = await ask('engine::registered-triggers::list', payload)
      const rows: unknown = isRecord(answer) ? answer['registered_triggers'] : undefined
      if (!Array.isArray(rows)) throw new TypeError('The engine answered without triggers')
      return rows.filter(isRecord).flatMap(toBinding)
    },
    /**
     * Adds what a list does not tell: the metadata that is handed on with each call. Leaves out those whose functions are in other namespaces
     * alone, where other bridges tell them.
     */
    async complete(rows: readonly Binding[], known: ReadonlySet<string>): Promise<Binding[]> {
      const all = rows.map(async (row) => {
        if (known.has(row.id)) return [row]
        if (await isElsewhere(row)) return []
        const answer = await ask('engine::registered-triggers::info', { id: row.id }).catch(() => undefined)
        return [{ ...row, metadata: isRecord(answer) ? answer['metadata'] : undefined }]
      })
      return (await Promise.all(all)).flat()
    },
  }
}

function toBinding({ id, function_id, config }: JsonObject): Binding[] {
  const isBinding = typeof id === 'string' && typeof function_id === 'string'
  return isBinding ? [{ id, function_id, config, metadata: undefined }] : []
}

function isSubscriber(binding: Binding): boolean {
  return !isOfSibling(binding) && refuseBinding(MCP_ON_CALL, binding) === undefined
}
