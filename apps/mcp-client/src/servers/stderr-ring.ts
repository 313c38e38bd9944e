import { cutUtf8, toVisible } from '@iii/protocol'
import type { SecretFilter } from '../redaction/secret-filter.ts'

/** The end of what a server writes to stderr. */
export interface StderrRing {
  /**
   * Follows the next process; the lines of the one before stay.
   *
   * @param filter takes secrets out, before anything is kept
   */
  follow(filter: LineFilter): (chunk: Buffer) => void
  lines(): readonly string[]
}

type LineFilter = Pick<SecretFilter, 'text' | 'reach'>

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
    follow(filter) {
      keep(last?.text() ?? '')
      const decoder = new TextDecoder()
      const line = createOpenLine(filter)
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
function createOpenLine({ text: clean, reach }: LineFilter): OpenLine {
  const room = MAX_LINE_BYTES + reach
  let open = ''
  let isCut = false

  function toClean(): string {
    const whole = clean(open)
    // What lies across the end of what is kept may be half a secret, which nobody finds.
    return isCut ? whole.slice(0, Math.max(0, whole.length - reach)).toWellFormed() : whole
  }

  return {
    append(text) {
      isCut ||= open.length + text.length > room
      if (open.length < room) open = (open + text).slice(0, room)
    },
    text: () => cutUtf8(toVisible(toClean(), ' ').trimEnd(), MAX_LINE_BYTES),
    clear() {
      open = ''
      isCut = false
    },
  }
}
