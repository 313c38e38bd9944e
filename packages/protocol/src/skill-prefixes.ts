/**
 * Whether a skill is among those that somebody may read: its id begins with one of the prefixes, by whole segments.
 *
 * @param prefixes undefined: all may be read
 *
 * @example
 * isSkillShown('orders/refunds', ['orders']) // true
 * isSkillShown('orders-internal', ['orders']) // false
 */
export function isSkillShown(id: string, prefixes: readonly string[] | undefined): boolean {
  if (prefixes === undefined) return true
  return prefixes.some((prefix) => {
    const path = prefix.replace(/(?<!\/)\/+$/, '')
    return id === path || id.startsWith(`${path}/`)
  })
}
