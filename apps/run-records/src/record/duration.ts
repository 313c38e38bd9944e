/**
 * How long something took. The clock may be set meanwhile: what two looks at it differ by can be anything, and less than nothing.
 *
 * @param begun what `performance.now()` said when it began
 * @returns whole milliseconds
 */
export function millisecondsSince(begun: number): number {
  return Math.round(performance.now() - begun)
}
