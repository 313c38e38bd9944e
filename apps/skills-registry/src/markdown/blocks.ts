import { HTML, skipHtml } from './html-blocks.ts'
import { createLines, isBlank, type Lines, skipToBlank } from './lines.ts'

/** The blocks of a markdown text that can give it a title or a summary; everything else is skipped. */

export type MarkdownBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'item'; text: string }

/** Consumes what it recognises and answers a block, `null` for something without text, or `undefined` for "not mine". */
type Rule = (line: string, lines: Lines) => MarkdownBlock | null | undefined

// Every pattern reads a line in time proportional to its length: the texts come from anybody on the engine. A line may hold
// characters that end one elsewhere (U+2028): `.` has to take them, or what stands before it is tried again and again.
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s
const BREAK = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const DEFINITION = /^ {0,3}\[[^\]]+\]:/
const DELIMITER_ROW = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/s
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/
const QUOTE = /^ {0,3}>/
const QUOTE_MARKS = /^ {0,3}(?:> ?)+/
/** What is left of marks that stand further apart. */
const MORE_QUOTE_MARKS = /^ {0,3}(?:> *)+/
const TASK = /^\[[ xX]\][ \t]+/
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
export function readBlocks(markdown: string): Generator<MarkdownBlock> {
  return walk(markdown, RULES)
}

function* walk(markdown: string, rules: readonly Rule[]): Generator<MarkdownBlock> {
  const lines = createLines(markdown)
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const block = toBlock(line, lines, rules)
    if (block) yield block
  }
}

function toBlock(line: string, lines: Lines, rules: readonly Rule[]): MarkdownBlock | null {
  for (const rule of rules) {
    const block = rule(line, lines)
    if (block !== undefined) return block
  }
  return readParagraph(line, lines)
}

/** Rules for what stands inside a quote or a list item: nothing is looked for inside of that. */
const INNER_RULES: readonly Rule[] = [
  (line) => (isBlank(line) || CODE.test(line) ? null : undefined),
  skipFence,
  skipHtml,
  readHeading,
  (line) => (BREAK.test(line) || DEFINITION.test(line) ? null : undefined),
  skipTable,
]
const RULES: readonly Rule[] = [...INNER_RULES, readItem, readQuote]

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

function readHeading(line: string): MarkdownBlock | undefined {
  const heading = HEADING.exec(line)
  if (!heading) return undefined
  const text = (heading[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '').trim()
  return { kind: 'heading', level: heading[1]?.length ?? 0, text }
}

function skipTable(line: string, lines: Lines): null | undefined {
  if (!isAboveTable(line, lines.peek())) return undefined
  skipToBlank(lines)
  return null
}

function isAboveTable(line: string, next: string | undefined): boolean {
  return line.includes('|') && DELIMITER_ROW.test((next ?? '').trim())
}

function readItem(line: string, lines: Lines): MarkdownBlock | undefined {
  const item = ITEM.exec(line)
  if (!item) return undefined
  for (let next = lines.peek(); next !== undefined && (isBlank(next) || INDENTED.test(next)); next = lines.peek()) {
    lines.next()
  }
  const text = (item[1] ?? '').replace(TASK, '')
  for (const block of walk(text, INNER_RULES)) return { kind: 'item', text: block.text }
  return { kind: 'item', text: '' }
}

function readQuote(line: string, lines: Lines): MarkdownBlock | null | undefined {
  if (!QUOTE.test(line)) return undefined
  const quoted = [line]
  while (QUOTE.test(lines.peek() ?? '')) quoted.push(lines.next() ?? '')
  const texts = quoted.map((text) => text.replace(QUOTE_MARKS, '').replace(MORE_QUOTE_MARKS, ''))
  const text = texts.filter((inner) => !ALERT.test(inner)).join('\n')
  for (const block of walk(text, INNER_RULES)) if (block.kind === 'paragraph') return block
  return null
}

function readParagraph(line: string, lines: Lines): MarkdownBlock {
  const texts = [line.trim()]
  for (let next = lines.peek(); next !== undefined && !interrupts(next); next = lines.peek()) {
    lines.next()
    const underline = UNDERLINE.exec(next)?.[1]
    if (underline) return { kind: 'heading', level: underline.startsWith('=') ? 1 : 2, text: join(texts) }
    if (isAboveTable(next, lines.peek())) {
      skipToBlank(lines)
      break
    }
    texts.push(next.trim())
  }
  return { kind: 'paragraph', text: join(texts) }
}

/** A backslash at the end of a line only breaks it. */
function join(lines: readonly string[]): string {
  return lines.map((line, at) => (at < lines.length - 1 ? line.replace(/\\$/, '') : line)).join(' ')
}

const INTERRUPTIONS = [HEADING, FENCE, HTML, INTERRUPTING_ITEM, QUOTE]

function interrupts(line: string): boolean {
  if (isBlank(line)) return true
  // A line of dashes under a paragraph is its underline, not a rule.
  if (UNDERLINE.test(line)) return false
  return BREAK.test(line) || INTERRUPTIONS.some((pattern) => pattern.test(line))
}
