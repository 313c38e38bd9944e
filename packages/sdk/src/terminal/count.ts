/**
 * Says how many of something there are. Words that take more than an `s` are not for it.
 *
 * @example
 * formatCount(1, 'prompt') // '1 prompt'
 */
export function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
