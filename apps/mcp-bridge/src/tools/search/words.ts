/**
 * The words of a text as the search compares them: lower case, without accents, without endings of English grammar. A name that is put together
 * (`customer_id`, `createOrder`) gives its parts and itself as one word.
 *
 * @example
 * toWords('Orders that were createdAt noon') // ['order', 'that', 'were', 'creat', 'at', 'createdat', 'noon']
 */
export function toWords(text: string): string[] {
  const words: string[] = []
  for (const [name] of normalize(text).matchAll(NAMES)) {
    const parts = name.match(PARTS) ?? []
    for (const part of parts) words.push(...toTerms(part))
    if (parts.length > 1) words.push(fold(parts.join('')))
  }
  return words.filter((word) => word !== '')
}

/** The words of a question: what nobody looks for is left out, and what was put together counts by its parts. */
export function toQueryWords(text: string): string[] {
  const words = [...normalize(text).matchAll(PARTS)].flatMap(([part]) => (isSaid(part) ? toTerms(part) : []))
  return [...new Set(words)].filter((word) => word !== '')
}

/** Some characters stand for many others: a text of them is not read beyond twice its length. */
function normalize(text: string): string {
  return text.normalize('NFKC').slice(0, 2 * text.length)
}

/** Letters and digits of any language, and what joins the parts of a name. */
const NAMES = /[\p{L}\p{M}\p{N}]+(?:(?:_|-|::|\.)+[\p{L}\p{M}\p{N}]+)*/gu
/** `HTTPServer2` is `HTTP`, `Server`, `2`. */
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu
/** Longer words are no words. */
const MAX_WORD_LENGTH = 40

/** Words of requests that say nothing of what is wanted. */
const UNSAID: ReadonlySet<string> = new Set(
  'a an the this that these it its of to for from in on at by with and or is are be was were do does can how which what i me my we our you your their they them please want need tool tools function functions'.split(
    ' ',
  ),
)

function isSaid(part: string): boolean {
  return !UNSAID.has(part.toLowerCase())
}

/** Scripts without spaces between words are compared by pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function toTerms(part: string): string[] {
  const word = fold(part)
  if (!UNSPACED.test(word)) return [toStem(word)]
  const characters = [...word]
  return characters.length <= 2 ? [word] : characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

function fold(text: string): string {
  const plain = [...text.toLowerCase()].slice(0, MAX_WORD_LENGTH).join('')
  return /^[\x20-\x7e]*$/.test(plain) ? plain : plain.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
}

/** An ending, what takes its place, and how long the rest is at least. The first that fits counts. */
const ENDINGS: readonly (readonly [ending: RegExp, by: string, rest: number])[] = [
  [/ifications?$/, 'ify', 2],
  [/ations?$/, '', 4],
  [/(?:ate|ates|ated|ating)$/, '', 4],
  [/ions?$/, '', 4],
  [/i(?:es|ed)$/, 'y', 2],
  [/ments?$/, '', 3],
  [/(?:ings?|ed)$/, '', 3],
  [/(?<=[sxz]|[cs]h)es$/, '', 3],
  [/(?<![suia])s$/, '', 3],
]

/** Takes off what grammar puts on, so that *cancelled*, *cancelling* and *cancellation* are the same as *cancel*. */
function toStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  for (const [ending, by, rest] of ENDINGS) {
    const stem = word.replace(ending, '')
    if (stem !== word && stem.length >= rest && /[aeiouy]/.test(stem)) return toRoot(stem + by)
  }
  return toRoot(word)
}

/** The same root, whether its last letter was doubled or dropped. */
function toRoot(stem: string): string {
  const bare = stem.length > 3 ? stem.replace(/e$/, '') : stem
  return bare.length > 3 ? bare.replace(/([^aeiou])\1$/, '$1') : bare
}
