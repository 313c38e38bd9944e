import { type JsonObject, utf8Length } from '@iii/protocol'

/** The largest page, in UTF-8 bytes of its text. */
const MAX_PAGE_BYTES = 1_048_576

/** A list of what there is on the engine. */
export interface EnginePage {
  readonly rows: readonly JsonObject[]
  /** An array as JSON, an element a line. What does not fit is left out, and the last element says how much that is. */
  text(): string
}

export function createPage(rows: readonly JsonObject[], maxBytes = MAX_PAGE_BYTES): EnginePage {
  let text: string | undefined
  return {
    rows,
    text: () => {
      text ??= formatItems(rows.map(formatItem), maxBytes)
      return text
    },
  }
}

/** One item as its page shows it. */
export function formatItem(row: JsonObject): string {
  return JSON.stringify(row)
}

/** A page of items that are text already. */
function formatItems(items: readonly string[], maxBytes: number): string {
  const filling = createFilling(maxBytes)
  for (const text of items) filling.add(text)
  return filling.text()
}

/** A page whose items come one by one, as text. */
export interface PageFilling {
  add(text: string): void
  /** Something was left out, and what may come would hardly find room. */
  readonly isFull: boolean
  /** @param rest how many did not come */
  text(rest?: number): string
}

export function createFilling(maxBytes = MAX_PAGE_BYTES): PageFilling {
  const shown: string[] = []
  let bytes = 0
  let leftOut = 0
  return {
    add(text) {
      const needed = utf8Length(text) + SEPARATOR
      if (bytes + needed > maxBytes) leftOut += 1
      else {
        bytes += needed
        shown.push(text)
      }
    },
    get isFull() {
      return leftOut > 0 && bytes > maxBytes * FULL
    },
    text(rest = 0) {
      const last = leftOut + rest > 0 ? [formatItem({ left_out: leftOut + rest })] : []
      const items = [...shown, ...last]
      return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n]`
    },
  }
}

/** The part of a page that has to be taken before anything that comes is left out unseen. */
const FULL = 0.98

const SEPARATOR = ',\n'.length
