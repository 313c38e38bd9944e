import { parse, parseDocument, type Scalar, visit } from 'yaml'
import { toFrontMatterBlock } from './front-matter.ts'

/**
 * The plain words and numbers in the front matter of a skill that readers of YAML 1.1 (PyYAML among them) take for something else than those of
 * YAML 1.2: `yes`, `on`, `1_000`, `0777`, dates.
 *
 * @example
 * findAmbiguous('---\nenabled: yes\nname: orders\n---\n') // ['yes']
 */
export function findAmbiguous(markdown: string): string[] {
  const block = toFrontMatterBlock(markdown)
  if (block === undefined) return []
  const found = new Set<string>()
  visit(parseDocument(block, { schema: 'core', logLevel: 'silent' }), {
    Scalar(_key, node) {
      if (isAmbiguous(node)) found.add(node.source ?? '')
    },
  })
  return [...found]
}

function isAmbiguous({ type, source = '', value }: Scalar): boolean {
  if (type !== 'PLAIN' || source === '') return false
  // PyYAML takes neither.
  if (source === '=' || source.includes('\t')) return true
  // PyYAML wants a dot in numbers with an exponent, and a sign in the exponent.
  return value !== toOldValue(source) || (typeof value === 'number' && /e/i.test(source) && !PYTHON_FLOAT.test(source))
}

const PYTHON_FLOAT = /^(?:[-+]?[0-9]+\.[0-9]*[eE][-+][0-9]+|0x.*)$/

function toOldValue(source: string): unknown {
  try {
    return parse(source, { version: '1.1', schema: 'yaml-1.1', logLevel: 'silent' })
  } catch {
    return undefined
  }
}
