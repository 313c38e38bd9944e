import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { z } from 'zod'
import type { Logger } from '../log.ts'
import { hintNearest } from '../suggestions/suggestion.ts'
import { isBuiltInType } from './trigger-configs.ts'
import type { TriggerWish } from './triggers.ts'

const ASK_MS = 5_000
/** As many as the engine tells of at once. */
const MAX_ASKED = 32
const Types = z.object({ triggers: z.array(z.object({ id: z.string() })) })
const Functions = z.object({ functions: z.array(z.object({ function_id: z.string(), error: z.string().optional() })) })

/** Of triggers that were wished for, what nobody provides or has. */
export interface TriggerReview {
  /** Looks at those that are new, and warns of each such word once. Never rejects. */
  run(): Promise<void>
}

export interface TriggerReviewOptions {
  readonly wishes: Iterable<TriggerWish>
  /** That of this worker. */
  readonly namespace: string | undefined
  /** This worker's own. */
  readonly functionIds: Iterable<string>
  providesType(type: string): boolean
  ask(functionId: string, payload: object, timeoutMs: number): Promise<unknown>
  readonly log: Logger
}

/** A trigger for a type or a function that comes later is no mistake, so this is for the log; a mistyped one would never be heard of. */
export function createTriggerReview(options: TriggerReviewOptions): TriggerReview {
  const { wishes, providesType, ask, log } = options
  const seen = new Set<string>()

  /** Those that were not looked at before, each once. */
  function findNew(wished: readonly TriggerWish[], keyOf: (wish: TriggerWish) => string): TriggerWish[] {
    return wished.filter((wish) => {
      const key = keyOf(wish)
      return !seen.has(key) && seen.add(key)
    })
  }

  async function reviewTypes(types: readonly string[]): Promise<void> {
    if (types.length === 0) return
    const { data } = Types.safeParse(await ask('engine::triggers::list', { include_internal: true }, ASK_MS))
    if (data === undefined) return
    const known = data.triggers.map(({ id }) => id)
    for (const type of types.filter((each) => !known.includes(each))) {
      log.warn({ trigger_type: type }, `nobody provides triggers of type '${type}' yet${hintNearest(type, known)}`)
    }
  }

  function warnOf(id: string, namespace: string | undefined): void {
    const problem =
      namespace === options.namespace
        ? `, which nobody has yet${hintNearest(id, options.functionIds)}`
        : ` in '${namespace ?? DEFAULT_NAMESPACE}', where nobody has it yet`
    log.warn({ function_id: id, namespace }, `a trigger calls '${id}'${problem}`)
  }

  async function reviewFunctions(ids: readonly string[], namespace: string | undefined): Promise<void> {
    for (let at = 0; at < ids.length; at += MAX_ASKED) {
      const asked = { function_ids: ids.slice(at, at + MAX_ASKED), namespace: namespace ?? DEFAULT_NAMESPACE }
      const { data } = Functions.safeParse(await ask('engine::functions::info', asked, ASK_MS))
      for (const { function_id: id, error } of data?.functions ?? []) if (error === 'not_found') warnOf(id, namespace)
    }
  }

  return {
    async run() {
      const own = new Set(options.functionIds)
      // Those of the engine need no question, and those whose worker it runs without are its operator's affair.
      const types = findNew(
        [...wishes].filter(({ type, isOptional }) => !isOptional && !isBuiltInType(type) && !providesType(type)),
        ({ type }) => `type ${type}`,
      )
      const calls = findNew(
        [...wishes].filter(({ functionId, namespace }) => namespace !== options.namespace || !own.has(functionId)),
        ({ functionId, namespace = '' }) => `${namespace} ${functionId}`,
      )
      const places = [...new Set(calls.map(({ namespace }) => namespace))]
      await Promise.allSettled([
        reviewTypes(types.map(({ type }) => type)),
        ...places.map((place) =>
          reviewFunctions(
            calls.flatMap(({ functionId, namespace }) => (namespace === place ? [functionId] : [])),
            place,
          ),
        ),
      ])
    },
  }
}
