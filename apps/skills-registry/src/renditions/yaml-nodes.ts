import { type Document, isScalar, type Pair, parse, visit } from 'yaml'

/**
 * What is in a YAML document that two readers could read otherwise, or JSON would not carry: aliases, tags, and keys that are no texts.
 *
 * @returns it and what would be right, or undefined
 *
 * @example
 * explainNodes(parseDocument('1: one', { stringKeys: true })) // 'the key 1, which is no text: quote it'
 */
export function explainNodes(document: Document.Parsed): string | undefined {
  let problem: string | undefined
  const note = (found: string | undefined) => {
    problem ??= found
    return problem === undefined ? undefined : visit.BREAK
  }
  visit(document, {
    Alias: () => note('an alias (*name): write the value out'),
    Node: (_key, { tag }) => note(tag ? 'a tag (!!name): write the value without it' : undefined),
    Pair: (_key, pair) => note(explainKey(pair)),
  })
  return problem
}

const MAX_SHOWN = 64

function explainKey({ key }: Pair): string | undefined {
  if (!isScalar(key)) return undefined
  if (key.value === '__proto__') return 'the key __proto__, which many readers drop: give it another name'
  const { type, source = '' } = key
  if (type !== 'PLAIN' || isText(source)) return undefined
  return source === '' ? 'a value without a key' : `the key ${source.slice(0, MAX_SHOWN)}, which is no text: quote it`
}

/** Is a plain key a text for readers of YAML 1.2? `<<` and `=` are none for those of YAML 1.1. */
function isText(source: string): boolean {
  if (/^(?!(?:true|false|null)$)[A-Za-z_][\w-]*$/i.test(source)) return true
  return source !== '<<' && source !== '=' && typeof parse(source, { schema: 'core', logLevel: 'silent' }) === 'string'
}
