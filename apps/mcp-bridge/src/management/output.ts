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
 * Keeps the end of what a process writes.
 *
 * @param hidden texts that stand for others in it, e.g. where its files lie
 */
export function createOutput(hidden: ReadonlyMap<string, string> = new Map()): Output {
  let kept = ''
  return {
    listen(stream) {
      const decoder = new StringDecoder('utf8')
      stream.on('data', (chunk: Buffer) => {
        kept = (kept + decoder.write(chunk)).slice(-KEPT)
      })
      stream.on('error', () => undefined)
    },
    tail() {
      let text = kept.trimEnd()
      for (const [secret, shown] of hidden) text = text.replaceAll(secret, shown)
      return text.split('\n').slice(-TAIL_LINES).join('\n').slice(-TAIL_LENGTH)
    },
  }
}
