import { toTitle } from '@iii/protocol'
import { z } from 'zod'
import { type MarkdownBlock, readBlocks } from './blocks.ts'
import { splitFrontMatter } from './front-matter.ts'
import { cut, isPictures, toOneLine, toPlainText } from './plain-text.ts'

/** What a list shows of a skill, read from its text. */
export interface Outline {
  /** Front matter `name`, else the first H1; one line of plain text. */
  title: string | undefined
  /** Front matter `description`, else the first paragraph, else the first list item; one line of plain text. */
  summary: string | undefined
  /** Front matter `priority`: 0 to 1. */
  priority: number | undefined
}

/** Titles and summaries are cut at this many characters, the `…` included. */
const MAX_LINE = 140
/** So many blocks are looked at: thousands of headings that say nothing would hold up everybody. */
const MAX_BLOCKS = 2_000

/**
 * Reads the title and the one-line summary of a skill from its markdown.
 *
 * @example
 * toOutline('# Orders\n\nCreate and cancel orders.') // { title: 'Orders', summary: 'Create and cancel orders.', priority: undefined }
 */
export function toOutline(markdown: string): Outline {
  const { fields, text } = splitFrontMatter(markdown)
  const { name, description } = fields
  const found: Found = {
    title: name === undefined ? undefined : toHeadline(toPlainText(name)),
    summary: description === undefined ? undefined : toSummary(toPlainText(description)),
    item: undefined,
  }
  let left = MAX_BLOCKS
  for (const block of found.title && found.summary ? [] : readBlocks(text)) {
    take(found, block)
    left--
    if ((found.title && found.summary) || left === 0) break
  }
  return { title: found.title, summary: found.summary ?? found.item, priority: fields.priority }
}

/** The same as it is read from the index, where others may write anything. */
export const outlineFields = {
  title: z.string().transform(toHeadline).optional(),
  summary: z.string().transform(toSummary).optional(),
  priority: z.number().min(0).max(1).optional().catch(undefined),
}

interface Found {
  title: string | undefined
  summary: string | undefined
  item: string | undefined
}

function take(found: Found, block: MarkdownBlock): void {
  if (block.kind === 'heading') {
    if (block.level === 1) found.title ??= toHeadline(toPlainText(block.text))
  } else if (block.kind === 'item') {
    found.item ??= toSummary(toPlainText(block.text))
  } else if (!isPictures(block.text)) {
    found.summary ??= toSummary(toPlainText(block.text))
  }
}

/** A title is a name: the marks around code in it are dropped too. */
function toHeadline(text: string): string | undefined {
  return toTitle(toSummary(text.replaceAll('`', '')), ' ')
}

function toSummary(text: string): string | undefined {
  return cut(toOneLine(text), MAX_LINE) || undefined
}
