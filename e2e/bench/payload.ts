/** What benchmarks send: the size of an ordinary tool call. */
export const PAYLOAD = { customer: 'Ada', text: 'x'.repeat(200) }
