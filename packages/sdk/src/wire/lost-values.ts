import { toPlainMessage } from '@iii/protocol'

/** What is lost of a value in JSON, and what its author may have meant. */
interface Loss {
  readonly held: string
  readonly reason: string
}

const TEXT_OF_BYTES = "Buffer.from(…).toString('base64') makes a text of it"

/** What JSON writes as an empty object, by what `Object.prototype.toString` calls it, and what its author may have meant. */
const LOST: ReadonlyMap<string, readonly [held: string, advice: string]> = new Map([
  ['Promise', ['a Promise', 'await it']],
  ['Map', ['a Map', 'Object.fromEntries makes an object of it']],
  ['Set', ['a Set', 'Array.from makes a list of it']],
  ['Error', ['an Error', 'throw it, or take its message']],
  ['DOMException', ['an Error', 'throw it, or take its message']],
  ['Response', ['a Response', 'await its json() or its text()']],
  ['Headers', ['Headers', 'Object.fromEntries makes an object of them']],
  ['URLSearchParams', ['URLSearchParams', 'Object.fromEntries makes an object of them']],
  ['FormData', ['FormData', 'Object.fromEntries makes an object of them']],
  ['ArrayBuffer', ['an ArrayBuffer', TEXT_OF_BYTES]],
  ['Blob', ['a Blob', 'await its text()']],
  ['ReadableStream', ['a ReadableStream', 'read it first']],
  ['Generator', ['a generator', 'Array.from makes a list of it']],
  ['Map Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['Set Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['Array Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['RegExp', ['a RegExp', 'its source is a text']],
  ['Request', ['a Request', 'await its json() or its text()']],
  ['AsyncGenerator', ['a generator', 'make a list of what it yields']],
])

/** Of what has no fields that JSON shows; undefined for what is an empty object indeed. */
export function findLoss(value: object): Loss | undefined {
  const lost = LOST.get(toTag(value))
  if (lost === undefined) return undefined
  const [held, advice] = lost
  // Whoever reads this may learn nothing else of what went wrong.
  const message = value instanceof Error && value.message !== '' ? ` (${toPlainMessage(value.message)})` : ''
  return { held: `${held}${message}`, reason: `of which JSON keeps nothing: ${advice}` }
}

/** Of bytes and lists of numbers that have no `toJSON`, which JSON writes as an object with their indexes for keys. */
export function findViewLoss(view: ArrayBufferView): Loss {
  const tag = toTag(view)
  const isBytes = tag === 'DataView' || tag.startsWith('Uint8')
  const advice = isBytes ? TEXT_OF_BYTES : 'Array.from makes a list of it'
  return { held: `${tag.startsWith('I') ? 'an' : 'a'} ${tag}`, reason: `of which JSON makes an object: ${advice}` }
}

function toTag(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
