/**
 * Puts values at their places in one object.
 *
 * @example
 * toNested([['scopes.skills', 'team'], ['ownership', 'open']]) // { scopes: { skills: 'team' }, ownership: 'open' }
 */
export function toNested(entries: Iterable<readonly [place: string, value: unknown]>): Record<string, unknown> {
  const whole: Record<string, unknown> = {}
  for (const [place, value] of entries) {
    const keys = place.split('.')
    const last = keys.pop() ?? ''
    let inner = whole
    for (const key of keys) {
      inner[key] ??= {}
      inner = inner[key] as Record<string, unknown>
    }
    inner[last] = value
  }
  return whole
}
