import { CST, Lexer } from 'yaml'

/** What reads YAML runs out of stack beyond some hundreds of levels, and writes keys that are lists or mappings out again for each key around them. */
const MAX_LEVELS = 32

/**
 * Whether lists, keys after a `?` and what stands in brackets lie in each other so deep that the text must not be made a document. Mappings by
 * indentation alone cannot in front matter. The time it takes is proportional to the text.
 */
export function isNestedTooDeep(yaml: string): boolean {
  // Of the items that are open where indentation tells them apart. Within brackets it does not, and a key takes no other key into itself.
  const columns: number[] = []
  let brackets = 0
  for (const { type, column } of readTokens(yaml)) {
    if (brackets === 0) followIndentation(columns, type, column)
    brackets = Math.max(0, brackets + (BRACKETS[type] ?? 0))
    if (columns.length + brackets > MAX_LEVELS) return true
  }
  return false
}

/** Takes out the items that are over where something begins, and notes the one that begins. */
function followIndentation(columns: number[], type: string, column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop()
  if (ITEMS.includes(type)) columns.push(column)
}

const ITEMS = ['seq-item-ind', 'explicit-key-ind']
const BRACKETS: Readonly<Record<string, number>> = {
  'flow-seq-start': 1,
  'flow-map-start': 1,
  'flow-seq-end': -1,
  'flow-map-end': -1,
}

const BLANK = ['space', 'newline', 'comment']
/** What the lexer puts between tokens, and is not in the text. */
const MARKS: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]

/** What says something, with the column in which it begins. */
function* readTokens(yaml: string): Generator<{ type: string; column: number }> {
  let column = 0
  for (const token of new Lexer().lex(yaml)) {
    if (MARKS.includes(token)) continue
    const type = CST.tokenType(token) ?? 'scalar'
    if (!BLANK.includes(type)) yield { type, column }
    const end = token.lastIndexOf('\n')
    column = end === -1 ? column + token.length : token.length - end - 1
  }
}
