const BLANK_OR_COMMENT = /^\s*(?:#|$)/
const HEADER = /^\s*\[/

/** The text without the tables of a server, `[key.name]` and those below it. What is told behind them is about what follows, and stays. */
export function cutTables(text: string, key: string, name: string): string {
  const isTheirs = new RegExp(String.raw`^\s*\[\s*${toPart(key)}\s*\.\s*${toPart(name)}\s*[.\]]`)
  const kept: string[] = []
  let behind: string[] = []
  let isInside = false
  function leave(): void {
    const first = behind.findIndex((line) => line.trim() !== '')
    if (first >= 0) kept.push(...behind.slice(first))
    behind = []
  }
  for (const line of text.split(/(?<=\n)/)) {
    if (HEADER.test(line)) {
      if (!isTheirs.test(line)) leave()
      isInside = isTheirs.test(line)
    }
    if (!isInside) kept.push(line)
    else if (BLANK_OR_COMMENT.test(line)) behind.push(line)
    else behind = []
  }
  leave()
  return isInside ? toEnd(kept.join('')) : kept.join('')
}

/** A key may stand in quotes. Ours has letters, digits, - and _ alone. */
function toPart(key: string): string {
  return `(?:${key}|"${key}"|'${key}')`
}

/** Without the blank lines that stood before the last table. */
function toEnd(text: string): string {
  const { length } = text.trimEnd()
  const lineEnd = /^[^\n]*\n/.exec(text.slice(length))?.[0] ?? ''
  return `${text.slice(0, length)}${lineEnd}`
}
