import { toShown } from '@iii/sdk/cli'
import { stringify } from 'yaml'

/** A value for people, as YAML, without anything that moves a terminal. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
    .trimEnd()
    .split('\n')
    .map(toShown)
    .join('\n')
    .concat('\n')
}

/** A heading and what is below it, apart from what stands before. */
export function toSection(heading: string, body: string): string {
  return body === '' ? '' : `\n${heading}\n${body}`
}

/**
 * A time to the second, as UTC.
 *
 * @example
 * toUtcTime('2026-11-21T09:30:12.345Z') // '2026-11-21 09:30:12'
 */
export function toUtcTime(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ')
}

/**
 * @example
 * toDuration(1234) // '1.2 s'
 */
export function toDuration(ms: number | undefined): string {
  if (ms === undefined) return ''
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
