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
export function formatItems(items: readonly string[], maxBytes = MAX_PAGE_BYTES): string {
  const shown: string[] = []
  let bytes = 0
  let leftOut = 0
  for (const text of items) {
    const needed = utf8Length(text) + SEPARATOR
    if (bytes + needed > maxBytes) {
      leftOut += 1
      continue
    }
    bytes += needed
    shown.push(text)
  }
  if (leftOut > 0) shown.push(formatItem({ left_out: leftOut }))
  return shown.length === 0 ? '[]' : `[\n${shown.join(',\n')}\n]`
}

const SEPARATOR = ',\n'.length
