import { keepJson } from '@iii/sdk'
import { memoizeEach } from './remembered.ts'

/** No answer grows beyond this many bytes of JSON: what does not fit is counted. */
export const MAX_LIST_BYTES = 8 * 1024 * 1024 - 65_536

/** As many of the items, from the first on, as fit into one answer. */
export interface FittingPage<T> {
  items: readonly T[]
  /** How many do not fit; absent when all do. */
  left_out?: number
}

/** What an item of a list takes. A list is cut anew after each change, and most of its items are those of the list before. */
export const bytesOf = memoizeEach((item: object) => Buffer.byteLength(JSON.stringify(item)) + 1)

/** Cuts a list to what fits into one message. */
export function toPage<T extends object>(items: readonly T[], maxBytes = MAX_LIST_BYTES): FittingPage<T> {
  let bytes = 0
  const over = items.findIndex((item) => {
    bytes += bytesOf(item)
    return bytes > maxBytes
  })
  return over === -1 ? { items } : { items: items.slice(0, over), left_out: items.length - over }
}

/** A list as a function answers it, under its name, with how many do not fit. */
export function toAnswer<Name extends string, T extends object>(name: Name, items: readonly T[]) {
  const { items: shown, ...rest } = toPage(items)
  return keepJson({ [name]: [...shown], ...rest } as Record<Name, T[]> & Pick<FittingPage<T>, 'left_out'>)
}
