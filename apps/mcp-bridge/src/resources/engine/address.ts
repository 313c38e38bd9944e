import { MAX_URI_LENGTH } from '@iii/protocol'

/** First segments of the addresses under which the bridge says what there is on the engine. */
export const ENGINE_WORDS = ['functions', 'workers', 'triggers', 'context'] as const
export type EngineWord = (typeof ENGINE_WORDS)[number]
/** What has single items under its word. */
export type EngineList = Exclude<EngineWord, 'context'>

/** An address of the engine's: a whole page, or one item of it. `nothing`: under such a word, but nobody can be there. */
export type EngineUri = { readonly kind: 'page'; readonly word: EngineWord } | EngineItem | { readonly kind: 'nothing' }

/** One item. With `@NAMESPACE/` before it, it is the one of that namespace, where such a namespace is seen. */
export interface EngineItem {
  readonly kind: 'item'
  readonly word: EngineList
  readonly id: string
  readonly elsewhere?: { readonly namespace: string; readonly id: string }
}

const NOTHING: EngineUri = { kind: 'nothing' }
const ADDRESS = new RegExp(`^iii://(${ENGINE_WORDS.join('|')})(?:/(.*))?$`, 's')

/**
 * Reads an address such as `iii://functions` or `iii://functions/orders::create`. An id may be written as it is, or with escapes as
 * a client writes it that fills in a template (`orders%3A%3Acreate`).
 *
 * @returns undefined for an address of anybody else
 */
export function parseEngineUri(uri: string): EngineUri | undefined {
  const [found, word, rest] = ADDRESS.exec(uri) ?? []
  if (found === undefined || !isWord(word)) return undefined
  if (rest === undefined) return { kind: 'page', word }
  const isFit = word !== 'context' && uri.length <= MAX_URI_LENGTH && uri.isWellFormed()
  const id = isFit ? withoutEscapes(rest) : ''
  if (word === 'context' || id === '') return NOTHING
  const elsewhere = parseElsewhere(rest)
  return { kind: 'item', word, id, ...(elsewhere === undefined ? {} : { elsewhere }) }
}

/** The address of one item, with its id as it is. */
export function formatItemUri(
  word: EngineList,
  { namespace, id }: { namespace: string | undefined; id: string },
): string {
  return `iii://${word}/${namespace === undefined ? '' : `@${namespace}/`}${id}`
}

/**
 * An item has thousands of spellings: any character of its id may be written with an escape. Whoever writes it as it is, as a client does
 * that parses addresses, or as one that fills in a template, is told of its changes under that address, and all others under the last.
 *
 * @returns the same for an address of anything else
 */
export function toUsualSpelling(uri: string): string {
  const address = parseEngineUri(uri)
  if (address?.kind !== 'item') return uri
  const { word, id, elsewhere } = address
  const filledIn = elsewhere === undefined ? encodeURIComponent(id) : formatFilledIn(elsewhere)
  const usual = [id, encodeURI(id), filledIn].map((text) => `iii://${word}/${text}`)
  return usual.includes(uri) ? uri : `iii://${word}/${filledIn}`
}

function formatFilledIn({ namespace, id }: NonNullable<EngineItem['elsewhere']>): string {
  return `@${encodeURIComponent(namespace)}/${encodeURIComponent(id)}`
}

/** Is it the address of a whole page, such as `iii://functions`? */
export function isEnginePage(uri: string): boolean {
  return parseEngineUri(uri)?.kind === 'page'
}

function isWord(text: string | undefined): text is EngineWord {
  return ENGINE_WORDS.includes(text as EngineWord)
}

function parseElsewhere(rest: string): EngineItem['elsewhere'] {
  const [, namespace = '', id = ''] = (/^@([^/]+)\/(.+)$/s.exec(rest) ?? []).map(withoutEscapes)
  return namespace === '' || id === '' ? undefined : { namespace, id }
}

/** @returns the empty text for a broken escape */
function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
