/** A key of the outermost mapping with its value. */
export interface YamlPart {
  readonly text: string
  /** How many lines are before it. */
  readonly linesBefore: number
}

/** A list in its place, the end of a bracket, a comment and the marks of a document go on with what is before them. */
const BEGINS = /^[^\s#\-.%\]}]/
const CLOSES = /^[\]}]/
const OPENS = /[[{]\s*$/
/** One bracket around everything, so that no line begins anything. */
const IS_FLOW = /^(?:\s|#.*\n|---)*[[{]/
/** Nobody writes so many keys by hand. */
const MAX_PARTS = 1_000

/**
 * Takes a block mapping apart without reading it, so that a mistake of syntax in one part leaves the others readable. A bracket that a
 * line of its own closes belongs to the part where it was opened.
 *
 * @returns none for what is no such mapping, or has too many keys
 */
export function splitYaml(text: string): YamlPart[] {
  if (IS_FLOW.test(text)) return []
  const parts: { lines: string[]; linesBefore: number }[] = []
  for (const [linesBefore, line] of text.split('\n').entries()) {
    if (CLOSES.test(line)) mergeOpened(parts)
    if (parts.length > MAX_PARTS) return []
    const last = parts.at(-1)
    if (last === undefined || BEGINS.test(line)) parts.push({ lines: [line], linesBefore })
    else last.lines.push(line)
  }
  return parts.map(({ lines, linesBefore }) => ({ text: lines.join('\n'), linesBefore }))
}

function mergeOpened(parts: { lines: string[] }[]): void {
  const at = parts.findLastIndex(({ lines }) => OPENS.test(lines.at(-1) ?? ''))
  const opened = parts[at]
  if (opened !== undefined) opened.lines = [opened, ...parts.splice(at + 1)].flatMap(({ lines }) => lines)
}
