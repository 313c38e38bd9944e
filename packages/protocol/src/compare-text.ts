/**
 * Orders texts by their UTF-16 units: the same on every machine, whatever its language.
 *
 * @example
 * ['b', 'B', 'a'].sort(compareText) // ['B', 'a', 'b']
 */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
