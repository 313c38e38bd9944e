import { cutUtf8, toVisible } from '@iii/protocol'

/** The end of what a server writes to stderr. */
export interface StderrRing {
  /**
   * Follows the next process; the lines of the one before stay.
   *
   * @param clean takes secrets out, before anything is kept
   */
  follow(clean: (text: string) => string): (chunk: Buffer) => void
  lines(): readonly string[]
}

const MAX_LINES = 200
const MAX_LINE_BYTES = 2 * 1024

export function createStderrRing(): StderrRing {
  const kept: string[] = []
  let last: OpenLine | undefined

  function keep(text: string): void {
    if (text === '') return
    kept.push(text)
    if (kept.length > MAX_LINES) kept.shift()
  }

  return {
    follow(clean) {
      keep(last?.text() ?? '')
      const decoder = new TextDecoder()
      const line = createOpenLine(clean)
      last = line
      return (chunk) => {
        const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
        line.append(first)
        // Of more lines than are kept only the last ones are worth to be cleaned.
        for (const next of rest.slice(-MAX_LINES - 1)) {
          keep(line.text())
          line.clear()
          line.append(next)
        }
      }
    },
    lines: () => [...kept, last?.text() ?? ''].filter((text) => text !== ''),
  }
}

interface OpenLine {
  append(text: string): void
  /** What may be kept of it. */
  text(): string
  clear(): void
}

/** A line whose end has not come. */
function createOpenLine(clean: (text: string) => string): OpenLine {
  let open = ''
  return {
    append(text) {
      // A secret that lies across the end of what is kept must not stay in half, so more is kept until it is cleaned.
      if (open.length < 2 * MAX_LINE_BYTES) open = (open + text).slice(0, 2 * MAX_LINE_BYTES)
    },
    text: () => cutUtf8(toVisible(clean(open), ' ').trimEnd(), MAX_LINE_BYTES),
    clear() {
      open = ''
    },
  }
}
