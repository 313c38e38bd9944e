/**
 * JSON text as the engine writes it: keys sorted by byte order, the last of two equal keys kept, no white space, exact
 * 64-bit integers. Values travel through this package as such texts, so nothing is lost on the way.
 */
export type JsonText = string

/** Compares two strings by their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above every other UTF-16 unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}

/** Writes an object with its keys sorted. */
export function formatObject(members: ReadonlyMap<string, JsonText>): JsonText {
  const keys = [...members.keys()].sort(compareBytes)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${members.get(key) ?? 'null'}`).join(',')}}`
}

/** Writes an array. */
export function arrayText(items: readonly JsonText[]): JsonText {
  return `[${items.join(',')}]`
}

/** The value of a canonical JSON string. */
export function textToString(text: JsonText): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}
