import { Fault } from '@iii/protocol'
import type { Registrations } from '../ownership/ownership.ts'
import type { JsonSchema, ZodSchema } from '../schema/json-schema.ts'
import { formatFrame } from '../wire/frames.ts'
import type { Handler } from './call.ts'
import { createFunction, type FunctionOptions, type RegisteredFunction, type Registration } from './function.ts'

/** The functions this worker offers, which the engine must learn again on each connection. */
export interface FunctionTable {
  readonly all: ReadonlyMap<string, RegisteredFunction>
  /** Which there are, for the watch over whose they are. */
  readonly known: Pick<Registrations, 'functionIds' | 'sharedIds' | 'functionCount'>
  /** The smallest `maxBytes` of any function: a message below it may be read without looking first. */
  readonly smallestLimit: number
  register(
    id: string | { id: string },
    handler: Handler<never>,
    options?: FunctionOptions<ZodSchema | JsonSchema>,
  ): Registration
  /** Says these functions once more. */
  repeat(ids: Iterable<string>): void
  frames(): Iterable<string>
}

/**
 * @param send hands a frame to the engine when there is one; the table is replayed anyway when there is none.
 * @param isHeld whether a function is kept back until it is repeated
 */
export function createFunctionTable(
  instance: string,
  send: (text: string) => void,
  isHeld: (id: string) => boolean,
): FunctionTable {
  const all = new Map<string, RegisteredFunction>()
  let smallestLimit = Number.POSITIVE_INFINITY

  function updateLimit(): void {
    smallestLimit = Number.POSITIVE_INFINITY
    for (const { limit } of all.values()) smallestLimit = Math.min(smallestLimit, limit)
  }

  const idsOf = (shared: boolean) => [...all.values()].flatMap(({ id, isShared }) => (isShared === shared ? id : []))

  return {
    all,
    known: { functionIds: () => idsOf(false), sharedIds: () => idsOf(true), functionCount: () => all.size },
    get smallestLimit() {
      return smallestLimit
    },
    register(target, handler, options = {}) {
      const id = typeof target === 'string' ? target : target.id
      if (id === '') throw new Fault('invalid_input', 'A function needs an id, for example orders::create')
      if (all.has(id))
        throw new Fault('conflict', `This worker offers the function '${id}' already; unregister it first`)
      const entry = createFunction(id, handler, options, instance)
      all.set(id, entry)
      updateLimit()
      if (!isHeld(id)) send(entry.frame)
      return {
        id,
        unregister() {
          if (all.get(id) !== entry) return
          all.delete(id)
          updateLimit()
          send(formatFrame({ type: 'unregisterfunction', id }))
        },
        refresh() {
          if (all.get(id) === entry) send(entry.frame)
        },
      }
    },
    repeat(ids) {
      for (const id of ids) {
        const entry = all.get(id)
        if (entry !== undefined) send(entry.frame)
      }
    },
    *frames() {
      for (const { id, frame } of all.values()) if (!isHeld(id)) yield frame
    },
  }
}
