import type { JsonText } from '../json/json-text.ts'

/** An input that does not fit its shape. */
export class Mismatch extends Error {
  override name = 'Mismatch'
}

/** @throws the complaint about a value of the wrong type. */
export function mismatch(text: JsonText, expected: string): never {
  throw new Mismatch(`invalid type: ${unexpected(text)}, expected ${expected}`)
}

function unexpected(text: JsonText): string {
  switch (text.charAt(0)) {
    case 'n':
      return 'null'
    case 't':
    case 'f':
      return `boolean \`${text}\``
    case '"':
      return `string ${text}`
    case '[':
      return 'sequence'
    case '{':
      return 'map'
    default:
      return /[.e]/.test(text) ? `floating point \`${text}\`` : `integer \`${text}\``
  }
}
