import { Fault } from '@iii/protocol'
import type { Handler } from '../engine/call.ts'
import type { Registrations } from '../ownership/ownership.ts'
import type { AnySchema } from '../schema/json-schema.ts'
import { formatFrame } from '../wire/frames.ts'
import type { Claims } from './claims.ts'
import { createFunction, type FunctionOptions, type FunctionRegistration, type RegisteredFunction } from './function.ts'

/** The functions this worker offers, which the engine must learn again on each connection. */
export interface FunctionTable {
  readonly all: ReadonlyMap<string, RegisteredFunction>
  /** Which there are, for the watch over whose they are. */
  readonly known: Pick<Registrations, 'functionIds' | 'sharedIds' | 'untoldIds' | 'functionCount'>
  /** The smallest `maxBytes` of any function: a message below it may be read without looking first. */
  readonly smallestLimit: number
  register(
    id: string | { id: string },
    handler: Handler<never>,
    options?: FunctionOptions<AnySchema>,
  ): FunctionRegistration
  /** Says these functions once more. */
  repeat(ids: Iterable<string>): void
  frames(): Iterable<string>
}

export interface FunctionTableOptions {
  readonly instance: string
  readonly claims: Pick<Claims, 'told' | 'isRefused'>
  /** Hands a frame to the engine when there is one; the table is replayed anyway when there is none. */
  send(text: string): void
  /** Whether a function is kept back until it is repeated. */
  isHeld(id: string): boolean
  /** Whether a function may be said once more: nobody else has it. */
  mayRepeat(id: string): boolean
  /** Told what the author of a function may want to know. */
  remark(id: string, text: string): void
}

export function createFunctionTable(options: FunctionTableOptions): FunctionTable {
  const { instance, claims, send, isHeld, mayRepeat, remark } = options
  const all = new Map<string, RegisteredFunction>()
  /** Those that were replaced and not said since. */
  const untold = new Set<string>()
  const limits = createSmallest()

  /** @param entry undefined for one that is gone */
  function put(id: string, entry: RegisteredFunction | undefined): void {
    table.smallestLimit = limits.replace(all.get(id)?.limit, entry?.limit)
    if (entry === undefined) all.delete(id)
    else all.set(id, entry)
  }

  function tell({ id, frame }: RegisteredFunction): void {
    untold.delete(id)
    claims.told(id)
    send(frame)
  }

  function toRegistration(first: RegisteredFunction): FunctionRegistration {
    const { id } = first
    let entry = first
    const isGone = () => all.get(id) !== entry
    return {
      id,
      unregister() {
        if (isGone()) return
        put(id, undefined)
        untold.delete(id)
        send(formatFrame({ type: 'unregisterfunction', id }))
      },
      refresh() {
        if (!isGone()) tell(entry)
      },
      replace(handler: Handler<never>, options: FunctionOptions<AnySchema> = {}) {
        if (isGone()) throw new Fault('not_found', `This worker does not offer '${id}' any more; register it`)
        const { remarks } = entry
        entry = createFunction(id, handler, options, instance)
        put(id, entry)
        sayRemarks(entry, remark, remarks)
        if (mayRepeat(id) && !claims.isRefused(id)) tell(entry)
        else untold.add(id)
      },
    }
  }

  const table = {
    all,
    // Looked at for each message.
    smallestLimit: limits.smallest,
    known: {
      functionIds: () => idsOf(all, false),
      sharedIds: () => idsOf(all, true),
      untoldIds: () => [...untold],
      functionCount: () => all.size,
    },
    register(target, handler, options = {}) {
      const id = toId(target)
      if (all.has(id))
        throw new Fault('conflict', `This worker offers the function '${id}' already; unregister or replace it`)
      const entry = createFunction(id, handler, options, instance)
      put(id, entry)
      sayRemarks(entry, remark)
      if (!isHeld(id)) tell(entry)
      return toRegistration(entry)
    },
    repeat(ids) {
      for (const id of ids) {
        const entry = all.get(id)
        if (entry !== undefined) tell(entry)
      }
    },
    *frames() {
      for (const { id, frame } of all.values()) {
        if (isHeld(id)) continue
        untold.delete(id)
        yield frame
      }
    },
  } satisfies FunctionTable
  return table
}

/** @param known what was said already */
function sayRemarks(
  { id, remarks }: RegisteredFunction,
  say: FunctionTableOptions['remark'],
  known: readonly string[] = [],
): void {
  for (const text of remarks) if (!known.includes(text)) say(id, text)
}

/** @throws Fault `invalid_input` for none, and for what stands beside it, as it did in older clients: it would be passed over. */
function toId(target: string | { id: string }): string {
  const { id, ...beside }: { id?: unknown } = typeof target === 'string' ? { id: target } : Object(target)
  if (typeof id !== 'string' || id === '') {
    throw new Fault('invalid_input', 'A function needs an id, for example orders::create')
  }
  const [name] = Object.keys(beside)
  if (name === undefined) return id
  const right = `registerFunction(id, handler, { ${name} })`
  throw new Fault('invalid_input', `The function '${id}' has '${name}' beside its id, where it is not read: ${right}`)
}

/** The smallest of many numbers of which most are equal, without looking at all of them for each that comes or goes. */
function createSmallest() {
  const counts = new Map<number, number>()
  let smallest = Number.POSITIVE_INFINITY

  function remove(value: number): void {
    const left = (counts.get(value) ?? 0) - 1
    if (left > 0) return void counts.set(value, left)
    counts.delete(value)
    if (value === smallest) smallest = Math.min(...counts.keys())
  }

  return {
    get smallest() {
      return smallest
    },
    /** @param before undefined for one that comes @param after undefined for one that goes @returns the smallest now */
    replace(before: number | undefined, after: number | undefined): number {
      if (after !== undefined) {
        counts.set(after, (counts.get(after) ?? 0) + 1)
        smallest = Math.min(smallest, after)
      }
      if (before !== undefined) remove(before)
      return smallest
    },
  }
}

function idsOf(all: ReadonlyMap<string, RegisteredFunction>, shared: boolean): string[] {
  return [...all.values()].flatMap(({ id, isShared }) => (isShared === shared ? id : []))
}
