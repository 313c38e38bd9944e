import { toPlainMessage } from '@iii/protocol'
import { messageOf } from '../engine/message-of.ts'

/** Where V8 has found a circle. */
const CLOSING = /(?:property '.*'|index \d+) closes the circle/

/** The text of a `toJSON` is that of any error. */
export function explainUnwritable(error: unknown): string {
  const text = messageOf(error)
  const [reason = ''] = text.split('\n')
  const [place] = CLOSING.exec(text) ?? []
  return `cannot be written as JSON: ${toPlainMessage(reason)}${place === undefined ? '' : ` (${place})`}`
}

export const TEXT_OF_BYTES = "Buffer.from(…).toString('base64') makes a text of it"

/** Of bytes and lists of numbers that have no `toJSON`, which JSON writes as an object with their indexes for keys. */
export function describeView(view: ArrayBufferView): { held: string; reason: string } {
  const tag = Object.prototype.toString.call(view).slice('[object '.length, -1)
  const isBytes = tag === 'DataView' || tag.startsWith('Uint8')
  const advice = isBytes ? TEXT_OF_BYTES : 'Array.from makes a list of it'
  return { held: `${tag.startsWith('I') ? 'an' : 'a'} ${tag}`, reason: `of which JSON makes an object: ${advice}` }
}
