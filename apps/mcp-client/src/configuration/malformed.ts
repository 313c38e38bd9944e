import { cutUtf8, toVisible } from '@iii/protocol'
import type { Code, Diagnostic } from '../diagnostics/diagnostic.ts'

const MAX_PLACE_BYTES = 200
const MAX_MESSAGE_BYTES = 1000

/** What is wrong at one place of the file. @param rule goes on after the place: `must be a string, not a number` */
export function malformed(place: string, rule: string, code: Code = 'malformed'): Diagnostic {
  const subject = toShortLine(place, MAX_PLACE_BYTES)
  return { code, message: `${subject}: ${toShortLine(rule, MAX_MESSAGE_BYTES)}`, subject }
}

/** One line without anything that changes how it reads, of bounded length. */
export function toShortLine(text: string, maxBytes: number): string {
  return cutUtf8(toVisible(text).replace(/\s+/g, ' '), maxBytes)
}
