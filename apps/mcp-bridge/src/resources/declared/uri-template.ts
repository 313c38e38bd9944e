import { ANY_CHARACTER, matchParts, PLAIN_CHARACTER, type TemplatePart, type Variables } from './uri-match.ts'

/** A template of addresses (RFC 6570 up to level 3), as something that takes addresses apart. */
export interface UriTemplate {
  readonly names: readonly string[]
  /** How much of an address the template says itself: the one that says more is the one that is meant. */
  readonly fixed: number
  /** @returns what its variables stand for, or undefined when the address does not fit. In time linear to the address. */
  match(uri: string): Variables | undefined
}

const MAX_LENGTH = 1_024
const MAX_PARTS = 64
const EXPRESSION = /\{([^{}]*)\}/
const OPERATORS = '+#./;?&'
const NAME = /^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/

/** @returns the template, or a text that says why it is none that can be read */
export function parseUriTemplate(text: string): UriTemplate | string {
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  const parts: TemplatePart[] = []
  for (const [index, piece] of text.split(EXPRESSION).entries()) {
    const read = index % 2 === 0 ? readText(piece) : readExpression(piece)
    if (typeof read === 'string') return read
    parts.push(...read)
  }
  if (parts.length > MAX_PARTS) return 'has too many variables'
  const names = parts.flatMap((part) => (part.kind === 'text' ? [] : part.names))
  if (new Set(names).size < names.length) return 'has a variable twice'
  const fixed = parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0)
  return { names, fixed, match: (uri: string) => matchParts(parts, uri) }
}

function readText(text: string): TemplatePart[] | string {
  if (/[{}]/.test(text)) return 'has a brace that is not closed'
  return text === '' ? [] : [{ kind: 'text', text }]
}

function readExpression(expression: string): TemplatePart[] | string {
  const operator = OPERATORS.includes(expression.charAt(0)) ? expression.charAt(0) : ''
  const names = expression.slice(operator.length).split(',')
  const bad = names.find((name) => !NAME.test(name))
  if (bad !== undefined) return `has {${expression.slice(0, 64)}}, and variables are names without * and :`
  if ('?&;'.includes(operator) && operator !== '') return [{ kind: 'pairs', mark: operator, names }]
  const allowed = operator === '+' || operator === '#' ? ANY_CHARACTER : PLAIN_CHARACTER
  const first = operator === '+' ? '' : operator
  const between = operator === '.' || operator === '/' ? operator : ','
  return names.flatMap((name, index) => {
    const before = index === 0 ? first : between
    const value: TemplatePart = { kind: 'value', names: [name], allowed }
    return before === '' ? [value] : [{ kind: 'text', text: before } as const, value]
  })
}
