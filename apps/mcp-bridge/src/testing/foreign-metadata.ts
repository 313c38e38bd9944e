/** Metadata as a worker on another SDK may say it: ours refuses what is malformed, and does not look at what only JSON shows. */
export function toForeign(value: object): object {
  return Object.defineProperty({}, 'toJSON', { value: () => value })
}
