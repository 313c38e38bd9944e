import { toItems, toMembers } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/** Finds what a reference such as `#/definitions/name` is about; references out of the document lead nowhere. */
export function resolve(reference: string, root: JsonText): JsonText | undefined {
  if (!reference.startsWith('#')) return undefined
  const keys = decodeURIComponent(reference.slice(1)).split('/').slice(1)
  return keys.reduce<JsonText | undefined>((at, key) => at && step(at, key), root)
}

function step(text: JsonText, key: string): JsonText | undefined {
  const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
  return toMembers(text)?.get(name) ?? toItems(text)?.[Number(name)]
}
