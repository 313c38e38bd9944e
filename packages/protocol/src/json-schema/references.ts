import { isRecord, type JsonObject } from '../json.ts'

/**
 * Says which reference of a schema a validator could not follow. Nothing outside of the schema is ever read: a reference that leaves it
 * is one of them, and so is one that goes round in a circle.
 *
 * @returns undefined when all of them lead to a subschema
 */
export function explainReferences(
  root: JsonObject,
  references: readonly string[],
  anchors: ReadonlyMap<string, JsonObject>,
): string | undefined {
  const find = (reference: string) => findTarget(root, anchors, reference)
  const right = new Set<string>()
  for (const reference of references) {
    const shown = JSON.stringify(reference.slice(0, 128).toWellFormed())
    if (!reference.startsWith('#')) return `the reference ${shown} leads out of the schema`
    const end = follow(reference, right, find)
    if (end !== undefined) return `the reference ${shown} ${end}`
  }
  return undefined
}

/** @param right those that lead to a schema: where many lead on to each other, each is looked at once */
function follow(start: string, right: Set<string>, find: (reference: string) => unknown): string | undefined {
  const passed = new Set<string>()
  for (let reference: unknown = start; typeof reference === 'string' && !right.has(reference); ) {
    if (passed.has(reference)) return 'goes round in a circle'
    passed.add(reference)
    const target = find(reference)
    if (!isRecord(target)) return 'leads to no schema'
    reference = target['$ref']
  }
  for (const reference of passed) right.add(reference)
  return undefined
}

/**
 * @param reference `#`, `#anchor` or a JSON pointer such as `#/$defs/address`
 * @returns undefined for a place that is not there
 */
export function findTarget(root: JsonObject, anchors: ReadonlyMap<string, JsonObject>, reference: string): unknown {
  const fragment = decode(reference.slice(1))
  if (fragment === undefined || fragment === '') return fragment === '' ? root : undefined
  if (!fragment.startsWith('/')) return anchors.get(fragment)
  let at: unknown = root
  for (const step of fragment.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const isInside = typeof at === 'object' && at !== null && Object.hasOwn(at, key)
    at = isInside ? (at as JsonObject)[key] : undefined
  }
  return at
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
