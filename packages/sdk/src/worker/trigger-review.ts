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

  function findNew(kind: 'type' | 'functionId', isFine: (wish: TriggerWish) => boolean): string[] {
    const words = new Set([...wishes].filter((wish) => !isFine(wish)).map((wish) => wish[kind]))
    const found = [...words].filter((word) => !seen.has(`${kind} ${word}`))
    for (const word of found) seen.add(`${kind} ${word}`)
    return found
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

  async function reviewFunctions(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const asked = { function_ids: ids.slice(0, MAX_ASKED) }
    const { data } = Functions.safeParse(await ask('engine::functions::info', asked, ASK_MS))
    for (const { function_id: id, error } of data?.functions ?? []) {
      if (error !== 'not_found') continue
      const text = `a trigger calls '${id}', which nobody has yet${hintNearest(id, options.functionIds)}`
      log.warn({ function_id: id }, text)
    }
  }

  return {
    async run() {
      const own = new Set(options.functionIds)
      // Those of the engine need no question, and those whose worker it runs without are its operator's affair.
      const types = findNew('type', ({ type, isOptional }) => isOptional || isBuiltInType(type) || providesType(type))
      const ids = findNew('functionId', ({ functionId }) => own.has(functionId))
      await Promise.allSettled([reviewTypes(types), reviewFunctions(ids)])
    },
  }
}
