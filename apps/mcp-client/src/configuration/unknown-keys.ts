import { findNearest } from '@iii/sdk'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { malformed } from './malformed.ts'
import { GROUP_KEYS, KEYS } from './server-entry.ts'

/** What other programs call the same things. */
const WORDS_OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ['enabled', 'disabled'],
  ['environment', 'env'],
  ['envFile', 'env'],
  ['arguments', 'args'],
  ['workingDirectory', 'cwd'],
  ['timeout', 'timeouts'],
  ['autoApprove', 'tools'],
  ['alwaysAllow', 'tools'],
  ['includeTools', 'tools'],
  ['excludeTools', 'tools'],
  ['disabledTools', 'tools'],
])

/** Whoever writes one of these wrongly would have something run, or shown, that was not meant to be. */
const RESTRICTING: readonly string[] = ['env', 'trust', 'tools', 'disabled', 'expose', 'changed_tools']

interface Found {
  readonly problems: Diagnostic[]
  readonly warnings: Diagnostic[]
}

/** Names the keys that nobody knows, each with the nearest one: as problems where a restriction may have been meant. */
export function findUnknownKeys(place: string, entry: Readonly<Record<string, unknown>>): Found {
  const found: Found = { problems: [], warnings: [] }
  for (const [key, value] of Object.entries(entry)) {
    const group = GROUP_KEYS.get(key)
    if (group !== undefined)
      findInGroup(`${place}.${key}`, value, { group, isStrict: RESTRICTING.includes(key) }, found)
    else if (!KEYS.includes(key)) {
      const nearest = WORDS_OF_OTHERS.get(key) ?? findNearest(key, KEYS)
      const kind = nearest !== undefined && RESTRICTING.includes(nearest) ? 'problems' : 'warnings'
      found[kind].push(unknown(`${place}.${key}`, nearest, kind))
    }
  }
  return found
}

function findInGroup(
  place: string,
  value: unknown,
  { group, isStrict }: { group: readonly string[]; isStrict: boolean },
  found: Found,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const kind = isStrict ? 'problems' : 'warnings'
  for (const key of Object.keys(value)) {
    if (group.includes(key)) continue
    const isVariable = place.endsWith('.env')
    found[kind].push(
      unknown(`${place}.${key}`, findNearest(key, group) ?? (isVariable ? `set.${key}` : undefined), kind),
    )
  }
}

function unknown(place: string, nearest: string | undefined, kind: keyof Found): Diagnostic {
  const rule = `is a key that nobody knows${nearest === undefined ? '' : `; did you mean '${nearest}'?`}`
  return malformed(place, rule, kind === 'problems' ? 'malformed' : 'unknown_key')
}
