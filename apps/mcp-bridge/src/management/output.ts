import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** What a process said last. */
export interface Output {
  listen(stream: Readable): void
  /** Its end: whole lines, without what a client should not see. */
  tail(): string
}

/** So much is kept, in UTF-16 units. */
const KEPT = 64 * 1024
const TAIL_LINES = 40
const TAIL_LENGTH = 3_000

/**
 * Keeps the end of what a process writes. A line is cut at its end alone: what says that something is a secret stands before it.
 *
 * @param hidden texts that stand for others in it, e.g. where its files lie
 */
export function createOutput(hidden: ReadonlyMap<string, string> = new Map()): Output {
  let kept = ''
  return {
    listen(stream) {
      const decoder = new StringDecoder('utf8')
      stream.on('data', (chunk: Buffer) => {
        kept += decoder.write(chunk)
        if (kept.length <= KEPT) return
        const end = kept.indexOf('\n', kept.length - KEPT)
        kept = end === -1 ? kept.slice(0, KEPT) : kept.slice(end + 1)
      })
      stream.on('error', () => undefined)
    },
    tail() {
      let text = kept.trimEnd()
      for (const [secret, shown] of hidden) text = text.replaceAll(secret, shown)
      const lines = text.split('\n').slice(-TAIL_LINES)
      const lengthOf = () => lines.reduce((sum, line) => sum + line.length + 1, -1)
      while (lines.length > 1 && lengthOf() > TAIL_LENGTH) lines.shift()
      return lines.join('\n').slice(0, TAIL_LENGTH)
    },
  }
}
