import { toItems, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/** Response headers: lower-case names, in order, repeats allowed. */
export interface HeaderList {
  set(name: string, value: string): void
  append(name: string, value: string): void
  delete(name: string): void
  has(name: string): boolean
  get(name: string): string | undefined
  /** Names and values in turn, values as the bytes of their UTF-8 form, as `writeHead` takes them. */
  toRaw(): string[]
}

export function createHeaderList(): HeaderList {
  const entries: [string, string][] = []
  const find = (name: string) => entries.find(([key]) => key === name)
  const remove = (name: string) => {
    for (let i = entries.length - 1; i >= 0; i--) if (entries[i]?.[0] === name) entries.splice(i, 1)
  }
  return {
    set(name, value) {
      const at = entries.findIndex(([key]) => key === name)
      remove(name)
      entries.splice(at < 0 ? entries.length : at, 0, [name, value])
    },
    append: (name, value) => void entries.push([name, value]),
    delete: remove,
    has: (name) => find(name) !== undefined,
    get: (name) => find(name)?.[1],
    toRaw: () => entries.flatMap(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  }
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Whether a header can be sent; others are left out without a word. A tab is the only control character in a value. */
function isSendable(name: string, value: string): boolean {
  return NAME.test(name) && Buffer.from(value).every((byte) => byte === 9 || (byte >= 32 && byte !== 127))
}

/** Headers as a handler gives them: an object of strings, or a list of `"Name: value"` in which names may repeat. */
export function addHandlerHeaders(headers: HeaderList, text: JsonText | undefined): void {
  if (text === undefined) return
  for (const item of toItems(text) ?? []) {
    const line = toStringValue(item) ?? ''
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    if (colon > 0 && isSendable(name, value)) headers.append(name, value)
  }
  addObjectHeaders(headers, text)
}

/** Headers from an object of strings; a list has none. */
export function addObjectHeaders(headers: HeaderList, text: JsonText): void {
  for (const [key, item] of toMembers(text) ?? []) {
    const value = toStringValue(item)
    const name = key.toLowerCase()
    if (value !== undefined && isSendable(name, value)) headers.append(name, value)
  }
}
