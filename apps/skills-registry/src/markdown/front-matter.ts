import { isRecord } from '@iii/protocol'
import { type Document, isScalar, type Node, parseDocument, Scalar, visit } from 'yaml'
import { isNestedTooDeep } from './yaml-nesting.ts'

/** What a skill says about itself above its text. */
export interface FrontMatter {
  name: string | undefined
  description: string | undefined
  /** 0 (least) to 1 (most important), as MCP annotations have it. */
  priority: number | undefined
  /** Scalars as they are written: a version `1.10` is not the number 1.1. */
  metadata: Readonly<Record<string, unknown>>
}

/** Front matter beyond this many characters is skipped like any other, but not read. */
const MAX_CHARS = 16_384

const OPENING = /^---[ \t]*(?:\r\n?|\n)/
const BYTE_ORDER_MARK = '\uFEFF'
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m

const NONE: FrontMatter = { name: undefined, description: undefined, priority: undefined, metadata: {} }

/**
 * Separates the YAML front matter of a markdown text from the text proper.
 *
 * A text that does not open with a `---` line, or never closes it, has none. Front matter that is not a YAML mapping is
 * left out of the text all the same, and says nothing; of one whose values want quotes, the values count as they are. A byte order mark at the beginning is no text either.
 */
export function splitFrontMatter(source: string): { fields: FrontMatter; text: string } {
  const markdown = withoutMark(source)
  const opening = OPENING.exec(markdown)
  if (!opening) return { fields: NONE, text: markdown }
  const rest = markdown.slice(opening[0].length)
  const closing = CLOSING.exec(rest)
  if (!closing) return { fields: NONE, text: markdown }
  return { fields: toFields(rest.slice(0, closing.index)), text: rest.slice(closing.index + closing[0].length) }
}

/** Whether a text opens front matter that no line of three dashes ends. */
export function isFrontMatterOpen(source: string): boolean {
  const markdown = withoutMark(source)
  const opening = OPENING.exec(markdown)
  return opening !== null && !/^---[ \t]*\r?$/m.test(markdown.slice(opening[0].length))
}

function withoutMark(source: string): string {
  return source.startsWith(BYTE_ORDER_MARK) ? source.slice(BYTE_ORDER_MARK.length) : source
}

function toFields(yaml: string): FrontMatter {
  const mapping = yaml.length > MAX_CHARS ? undefined : parseMapping(yaml)
  if (!mapping) return NONE
  return {
    name: toText(mapping['name']),
    description: toText(mapping['description']),
    priority: toPriority(mapping['priority']),
    metadata: isRecord(mapping['metadata']) ? mapping['metadata'] : {},
  }
}

/** Of a text with mistakes what can be had, unless it is right with its values as blocks. */
function parseMapping(yaml: string): Record<string, unknown> | undefined {
  if (isNestedTooDeep(yaml)) return undefined
  const document = parseYaml(yaml)
  return toRightMapping(document) ?? toRightMapping(parseBlocks(yaml)) ?? toMapping(document)
}

function parseYaml(yaml: string): Document.Parsed {
  // `failsafe` reads every scalar as text: a name may be `2026` or `yes`. Thousands of mistakes take long to be made messages.
  const options = { schema: 'failsafe', logLevel: 'silent', uniqueKeys: false, prettyErrors: false } as const
  return withoutAliases(parseDocument(yaml, options))
}

/** A text that is named again counts; lists and mappings could be named so often that they never end. One of nothing wants quotes: `*.ts`. */
function withoutAliases(document: Document.Parsed): Document.Parsed {
  const named = new Map<string, Node>()
  visit(document, {
    Alias(_key, { source }) {
      const node = named.get(source)
      if (node === undefined) return new Scalar(`*${source}`)
      return new Scalar(isScalar(node) ? node.value : null)
    },
    Value(_key, node) {
      if (node.anchor !== undefined) named.set(node.anchor, node)
    },
  })
  return document
}

function parseBlocks(yaml: string): Document.Parsed | undefined {
  const blocks = toBlocks(yaml)
  return blocks === yaml ? undefined : parseYaml(blocks)
}

function toRightMapping(document: Document.Parsed | undefined): Record<string, unknown> | undefined {
  return document === undefined || document.errors.length > 0 ? undefined : toMapping(document)
}

function toMapping(document: Document.Parsed): Record<string, unknown> | undefined {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A field that begins and is no block, list, mapping or quoted text. */
const PLAIN_FIELD = /^([\w-]+):[ \t]+(?!["'|>[{])(?=\S)/gm

/** Many hosts take `description: Use this when: …` and `globs: *.ts`, which are no YAML. As the text of a block they are. */
function toBlocks(yaml: string): string {
  return yaml.replace(PLAIN_FIELD, '$1: >-\n  ')
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function toPriority(value: unknown): number | undefined {
  const priority = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return priority >= 0 && priority <= 1 ? priority : undefined
}
