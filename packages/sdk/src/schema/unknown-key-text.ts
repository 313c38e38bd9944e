import { toTitle } from '@iii/protocol'
import { findNearest } from '../suggestions/nearest.ts'
import { formatPath } from './issue-text.ts'
import { MAX_UNKNOWN_KEYS, type UnknownKey } from './unknown-keys.ts'

const MAX_KNOWN_TOLD = 20
const MAX_KEY_LENGTH = 64

/**
 * Says which keys are unknown, with the nearest that is known and was not sent, and what their object takes.
 *
 * @returns an empty text where there are none
 *
 * @example
 * formatUnknownKeys([{ path: [], key: 'sinse', known: ['since', 'until'], given: ['sinse'] }])
 * // 'sinse: is unknown (did you mean since?); it takes since, until'
 */
export function formatUnknownKeys(unknown: readonly UnknownKey[]): string {
  const told = unknown.slice(0, MAX_UNKNOWN_KEYS - 1)
  const parts = told.flatMap((entry, nth) => {
    const isLast = !told.slice(nth + 1).some(({ path }) => toPlace(path) === toPlace(entry.path))
    const more = isLast && nth === told.length - 1 && told.length < unknown.length ? ' and more' : ''
    return [
      `${toPlace([...entry.path, shown(entry.key)])}: is unknown${suggest(entry)}${more}`,
      ...(isLast ? [takes(entry)] : []),
    ]
  })
  return parts.join('; ')
}

function suggest({ key, known, given }: UnknownKey): string {
  const nearest = findNearest(
    key,
    known.filter((name) => !given.includes(name)),
  )
  return nearest === undefined ? '' : ` (did you mean ${shown(nearest)}?)`
}

function takes({ path, known }: UnknownKey): string {
  const names = known.slice(0, MAX_KNOWN_TOLD).map(shown).join(', ')
  const more = known.length > MAX_KNOWN_TOLD ? ` and ${known.length - MAX_KNOWN_TOLD} more` : ''
  return `${toPlace(path) || 'it'} takes ${names || 'nothing'}${more}`
}

function toPlace(path: readonly PropertyKey[]): string {
  return formatPath(
    '',
    path.map((key) => (typeof key === 'number' ? key : shown(String(key)))),
  )
}

function shown(key: string): string {
  return toTitle(key.slice(0, MAX_KEY_LENGTH)) ?? '""'
}
