import { isRecord } from '../json.ts'

/** What model providers take as the name of a property; one that is none fails the request of the whole conversation. */
const COMMON_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
/** What classes that Python frameworks make of a schema have already (pydantic), and what methods call their own object. */
const TAKEN = /^(?:self|model_(?:config|(?:dump|validate)(?:_\w+)?))$/

/**
 * Says why some agents cannot use a function because of the name of one of its arguments.
 *
 * @returns undefined for a name that all of them take
 *
 * @example
 * explainArgumentName('_id') // 'Python frameworks take what begins with _ for private, and drop it'
 */
export function explainArgumentName(name: string): string | undefined {
  if (!COMMON_NAME.test(name)) {
    return 'model providers take letters, digits, _, . and - in a name, 64 at most, and refuse all tools for another'
  }
  if (name.startsWith('_')) return 'Python frameworks take what begins with _ for private, and drop it'
  return TAKEN.test(name) ? 'Python frameworks have something else of that name, and fail with it' : undefined
}

/** The arguments at the root of a request schema that some agents cannot use, each with the reason. */
export function findAwkwardArguments(schema: unknown): { readonly name: string; readonly reason: string }[] {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {}
  return Object.keys(properties).flatMap((name) => {
    const reason = explainArgumentName(name)
    return reason === undefined ? [] : [{ name, reason }]
  })
}
