import { findNearest } from './nearest.ts'

const MAX_TOLD = 5

/**
 * Says what there is, after a name that nothing has: the nearest one first.
 *
 * @example
 * suggestAmong('ordres', ['billing', 'orders']) // 'there are 2: orders, billing'
 */
export function suggestAmong(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'there are none'
  const nearest = findNearest(name, names)
  const told = [...new Set([...(nearest === undefined ? [] : [nearest]), ...names])].slice(0, MAX_TOLD)
  const more = names.length > told.length ? ', …' : ''
  return names.length === 1 ? `there is ${told[0]}` : `there are ${names.length}: ${told.join(', ')}${more}`
}
