/** The blocks of a markdown text that can give it a title or a summary; everything else is skipped. */

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'item'; text: string }

interface Lines {
  peek(): string | undefined
  next(): string | undefined
}

/** Consumes what it recognises and answers a block, `null` for something without text, or `undefined` for "not mine". */
type Rule = (line: string, lines: Lines) => Block | null | undefined

// Every pattern reads a line in time proportional to its length: the texts come from anybody on the engine.
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const COMMENT = /^ {0,3}<!--/
const HTML =
  /^ {0,3}<\/?(?:a|article|br|center|details|div|figure|h[1-6]|hr|img|p|picture|pre|script|section|source|style|sub|summary|sup|table|tbody|td|th|thead|tr|ul|ol|li)(?=[\s>/]|$)/i
const BREAK = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const DEFINITION = /^ {0,3}\[[^\]]+\]:/
const DELIMITER_ROW = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/
const QUOTE = /^ {0,3}>/
const QUOTE_MARKS = /^ {0,3}(?:> ?)+/
const ALERT = /^\[![A-Za-z]+\]/
const INDENTED = /^(?: {2,}|\t)/
const CODE = /^(?: {4}|\t| {1,3}\t)/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/

/**
 * Walks through the headings, paragraphs, block quotes and first lines of list items of a markdown text, in order.
 *
 * Fenced and indented code, tables, HTML blocks and comments, link definitions and rules have no text here. Lazy: whoever
 * stops after the first paragraph pays for nothing behind it.
 */
export function* readBlocks(markdown: string): Generator<Block> {
  const lines = createLines(markdown)
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const block = toBlock(line, lines)
    if (block) yield block
  }
}

function toBlock(line: string, lines: Lines): Block | null {
  for (const rule of RULES) {
    const block = rule(line, lines)
    if (block !== undefined) return block
  }
  return readParagraph(line, lines)
}

const RULES: readonly Rule[] = [
  (line) => (isBlank(line) || CODE.test(line) ? null : undefined),
  skipFence,
  skipComment,
  skipHtml,
  readHeading,
  (line) => (BREAK.test(line) || DEFINITION.test(line) ? null : undefined),
  skipTable,
  readItem,
  readQuote,
]

function skipFence(line: string, lines: Lines): null | undefined {
  const fence = FENCE.exec(line)?.[1]
  if (fence === undefined) return undefined
  for (let inner = lines.next(); inner !== undefined; inner = lines.next()) {
    if (closes(inner, fence)) break
  }
  return null
}

/** The line that ends a code block has as many of its marks or more, and nothing else. */
function closes(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === text.charAt(0).repeat(text.length) && text.startsWith(fence)
}

function skipComment(line: string, lines: Lines): null | undefined {
  if (!COMMENT.test(line)) return undefined
  for (let inner: string | undefined = line; inner !== undefined; inner = lines.next()) {
    if (inner.includes('-->')) break
  }
  return null
}

function skipHtml(line: string, lines: Lines): null | undefined {
  if (!HTML.test(line)) return undefined
  skipToBlank(lines)
  return null
}

function readHeading(line: string): Block | undefined {
  const heading = HEADING.exec(line)
  if (!heading) return undefined
  const text = (heading[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '').trim()
  return { kind: 'heading', level: heading[1]?.length ?? 0, text }
}

function skipTable(line: string, lines: Lines): null | undefined {
  if (!line.includes('|') || !DELIMITER_ROW.test((lines.peek() ?? '').trim())) return undefined
  skipToBlank(lines)
  return null
}

function readItem(line: string, lines: Lines): Block | undefined {
  const item = ITEM.exec(line)
  if (!item) return undefined
  for (let next = lines.peek(); next !== undefined && (isBlank(next) || INDENTED.test(next)); next = lines.peek()) {
    lines.next()
  }
  return { kind: 'item', text: item[1] ?? '' }
}

function readQuote(line: string, lines: Lines): Block | null | undefined {
  if (!QUOTE.test(line)) return undefined
  const quoted = [line]
  while (QUOTE.test(lines.peek() ?? '')) quoted.push(lines.next() ?? '')
  const texts = quoted.map((text) => text.replace(QUOTE_MARKS, '')).filter((text) => !ALERT.test(text))
  const start = texts.findIndex((text) => !isBlank(text))
  if (start === -1) return null
  const end = texts.findIndex((text, index) => index > start && isBlank(text))
  return { kind: 'paragraph', text: texts.slice(start, end === -1 ? undefined : end).join(' ') }
}

function readParagraph(line: string, lines: Lines): Block {
  const texts = [line.trim()]
  for (let next = lines.peek(); next !== undefined && !interrupts(next); next = lines.peek()) {
    lines.next()
    const underline = UNDERLINE.exec(next)?.[1]
    if (underline) return { kind: 'heading', level: underline.startsWith('=') ? 1 : 2, text: texts.join(' ') }
    texts.push(next.trim())
  }
  return { kind: 'paragraph', text: texts.join(' ') }
}

const INTERRUPTIONS = [HEADING, FENCE, COMMENT, HTML, INTERRUPTING_ITEM, QUOTE]

function interrupts(line: string): boolean {
  if (isBlank(line)) return true
  // A line of dashes under a paragraph is its underline, not a rule.
  if (UNDERLINE.test(line)) return false
  return BREAK.test(line) || INTERRUPTIONS.some((pattern) => pattern.test(line))
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

function skipToBlank(lines: Lines): void {
  for (let next = lines.peek(); next !== undefined && !isBlank(next); next = lines.peek()) lines.next()
}

/** Reads a text line by line without splitting what nobody asks for. */
function createLines(text: string): Lines {
  let position = 0
  let ahead: string | undefined
  const read = (): string | undefined => {
    if (position > text.length) return undefined
    const end = text.indexOf('\n', position)
    const line = text.slice(position, end === -1 ? text.length : end)
    position = end === -1 ? text.length + 1 : end + 1
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  return {
    peek() {
      ahead ??= read()
      return ahead
    },
    next() {
      const line = ahead ?? read()
      ahead = undefined
      return line
    },
  }
}
