import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { malformed } from './malformed.ts'

const EXPANSION = /\$\{([^}]*)\}?/
const FIRST_WORD = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)$/

/** Finds every text with `${…}`, which other programs expand and this one does not, and says how it is written here. */
export function findExpansions(place: string, value: unknown): Diagnostic[] {
  if (typeof value === 'string') return explain(place, value)
  if (Array.isArray(value)) return value.flatMap((item, at) => findExpansions(`${place}[${at}]`, item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...explain(place, key),
    ...findExpansions(`${place}.${key}`, item),
  ])
}

function explain(place: string, text: string): Diagnostic[] {
  const [, inside] = EXPANSION.exec(text) ?? []
  if (inside === undefined) return []
  const variable = FIRST_WORD.exec(inside)?.[1]
  const source = variable === undefined ? '{ env: NAME } or { file: PATH }' : `{ env: ${variable} }`
  const [, , section, group] = place.split('.')
  const isVariable = section === 'env' && group === 'set'
  const form = isVariable
    ? `write ${source} in its place`
    : `write the value itself, or give it to the server as a variable: env.set.NAME: ${source}`
  return [malformed(place, `\${…} is not expanded here: ${form}`)]
}
