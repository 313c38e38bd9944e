import { decodeUtf8 } from '../json/utf8.ts'

/** Baggage by the names of its entries. */
export type Baggage = Map<string, { readonly value: string; readonly properties?: string }>

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Reads baggage as the engine does: of two entries with one name the last counts, and what is no entry is left out. */
export function parseBaggage(text: string): Baggage {
  const baggage: Baggage = new Map()
  for (const entry of text.split(',')) {
    const [pair = '', ...properties] = entry.split(';')
    const [name = '', value] = pair.split('=').map(decode)
    if (value === undefined || !NAME.test(name)) continue
    baggage.set(name, { value, properties: properties.flatMap((property) => decode(property) ?? []).join(';') })
  }
  return baggage
}

/** Writes baggage as the engine does; `undefined` when it has no entry. */
export function formatBaggage(baggage: Baggage): string | undefined {
  const entries = [...baggage].map(
    ([name, { value, properties }]) => `${name}=${encode(value)}${properties ? `;${properties}` : ''}`,
  )
  return entries.length > 0 ? entries.join(',') : undefined
}

/** Without percent signs that stand for bytes and spaces around; `undefined` for what is no UTF-8 then. */
function decode(text: string): string | undefined {
  const bytes = Buffer.from(text).toString('latin1')
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decodeUtf8(Buffer.from(decoded, 'latin1'))?.trim()
}

function encode(text: string): string {
  return text.replace(/[^!#-+\--:<>-~]/gu, encodeURIComponent)
}
