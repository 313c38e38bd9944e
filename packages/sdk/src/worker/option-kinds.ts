import { Fault, isRecord } from '@iii/protocol'
import { requireFields, toKind } from '../suggestions/mistyped.ts'

type Kind = readonly [isMet: (value: unknown) => boolean, right: string]

const isText = (value: unknown) => typeof value === 'string'
const isFunction = (value: unknown) => typeof value === 'function'

/** What would be passed over, fail at the first call, or have the engine pass over the whole function. The schemas are looked at by themselves. */
const KINDS: Readonly<Record<string, Kind>> = {
  description: [isText, 'a text'],
  unknownKeys: [(value) => value === 'refuse' || value === 'ignore', "'refuse' or 'ignore'"],
  mcp: [isRecord, "an object, such as { title: 'Greet somebody' }"],
  metadata: [isRecord, "an object, such as { 'mcp.title': 'Greet somebody' }"],
  maxBytes: [(value) => typeof value === 'number' && value > 0, 'a number of bytes above zero, such as 1_000_000'],
  onTooLarge: [isFunction, 'a function that makes the result, such as ({ bytes, limit }) => ({ error: … })'],
  guard: [isFunction, 'a function that throws where the call is refused, such as () => requireOpen()'],
  shared: [(value) => typeof value === 'boolean', 'true or false'],
}

/** @throws Fault `invalid_input` for an option of the wrong kind; `null` is how some write that one is absent */
export function requireKinds(id: string, options: object): void {
  const what = `The function '${id}'`
  requireFields(what, options)
  for (const [name, [isMet, right]] of Object.entries(KINDS)) {
    const value: unknown = options[name as keyof typeof options] ?? undefined
    if (value === undefined || isMet(value)) continue
    throw new Fault(
      'invalid_input',
      `The field ${name} of the function '${id}' must be ${right}, not ${toShown(value)}`,
    )
  }
}

/** A text or a number says by itself what was mistaken. */
function toShown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.length <= 40 ? `'${value}'` : toKind(value)
}

/** @throws Fault `invalid_input` for what cannot be called */
export function requireHandler(id: string, given: unknown): void {
  if (typeof given === 'function') return
  const kind = given === null ? 'null' : typeof given
  const right = `registerFunction(id, handler, options) was given ${kind} in its place`
  throw new Fault('invalid_input', `The function '${id}' has no handler: ${right}`)
}
