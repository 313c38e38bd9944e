import { isRecord, type JsonObject } from '@iii/protocol'

/**
 * Makes one list of properties of what the root of a request schema composes: model providers refuse tools with `oneOf`, `anyOf` or
 * `allOf` there. What is left allows whatever the whole allowed; the function itself says no to the rest.
 */
export function toFlatRoot(schema: JsonObject): JsonObject {
  const branchesOf = (key: string) => (Array.isArray(schema[key]) ? schema[key].filter(isRecord).map(toFlatRoot) : [])
  const all = branchesOf('allOf')
  const alternatives = [branchesOf('anyOf'), branchesOf('oneOf')].filter((branches) => branches.length > 0)
  if (all.length + alternatives.length === 0) return schema
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, ...own } = schema
  const properties: Record<string, unknown> = {}
  for (const branches of alternatives) addProperties(properties, branches, toEither)
  // What always holds says more than what may.
  for (const part of [...all, own]) addProperties(properties, [part], (_, latest) => latest)
  const required = new Set([...namesOf(own), ...all.flatMap(namesOf), ...alternatives.flatMap(toCommon)])
  // It would refuse what only the branches knew of.
  const { unevaluatedProperties: _closer, required: _required, ...others } = own
  return {
    ...others,
    properties,
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
}

function addProperties(
  properties: Record<string, unknown>,
  branches: readonly JsonObject[],
  merge: (before: unknown, latest: unknown) => unknown,
): void {
  for (const { properties: some } of branches) {
    if (!isRecord(some)) continue
    for (const [name, property] of Object.entries(some)) {
      const isThere = Object.hasOwn(properties, name)
      const value = isThere ? merge(properties[name], property) : property
      Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true })
    }
  }
}

function toEither(before: unknown, latest: unknown): unknown {
  if (JSON.stringify(before) === JSON.stringify(latest)) return before
  const known =
    isRecord(before) && Object.keys(before).length === 1 && Array.isArray(before['anyOf']) ? before['anyOf'] : [before]
  return { anyOf: [...known, latest] }
}

function namesOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required : []
}

/** What every one of them needs. */
function toCommon(branches: readonly JsonObject[]): string[] {
  const [first = {}, ...others] = branches
  return namesOf(first).filter((name) => others.every((branch) => namesOf(branch).includes(name)))
}
