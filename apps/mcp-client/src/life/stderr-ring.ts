import { cutUtf8, toVisible } from '@iii/protocol'

/** The end of what a server writes to stderr. */
export interface StderrRing {
  push(chunk: Buffer): void
  lines(): readonly string[]
}

const MAX_LINES = 200
const MAX_LINE_BYTES = 2 * 1024

/** @param clean takes secrets out, before anything is kept */
export function createStderrRing(clean: (text: string) => string): StderrRing {
  const decoder = new TextDecoder()
  const kept: string[] = []
  let open = ''
  let isCut = false

  function keep(line: string): void {
    const text = cutUtf8(toVisible(clean(line), ' ').trimEnd(), MAX_LINE_BYTES)
    isCut = false
    if (text === '') return
    kept.push(text)
    if (kept.length > MAX_LINES) kept.shift()
  }

  return {
    push(chunk) {
      const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
      append(first)
      for (const line of rest) {
        keep(open)
        open = ''
        append(line)
      }
    },
    lines: () => (open.trim() === '' ? [...kept] : [...kept, cutUtf8(toVisible(clean(open), ' '), MAX_LINE_BYTES)]),
  }

  /** A secret that lies across the end of what is kept must not stay in half, so more is kept until it is cleaned. */
  function append(text: string): void {
    if (isCut) return
    open += text
    if (open.length <= 2 * MAX_LINE_BYTES) return
    open = open.slice(0, 2 * MAX_LINE_BYTES)
    isCut = true
  }
}
