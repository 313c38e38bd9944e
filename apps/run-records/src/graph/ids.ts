/** Orders ids by their UTF-16 units: the same on every machine. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
