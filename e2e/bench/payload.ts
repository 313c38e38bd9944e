/** What benchmarks send: the size of an ordinary tool call. */
export const PAYLOAD = { customer: 'Ada', text: 'x'.repeat(200) }

const fillers = new Map<number, string>()

/** A text of so many bytes, made once. */
export function toFiller(bytes: number): string {
  const filler = fillers.get(bytes) ?? 'x'.repeat(bytes)
  fillers.set(bytes, filler)
  return filler
}
