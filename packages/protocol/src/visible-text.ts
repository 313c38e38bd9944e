/** Colours, cursor movements and links of a terminal. */
const escapeSequence = new RegExp(
  ['(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]', '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?'].join('|'),
  'g',
)
/**
 * Characters that nobody sees and that change how the text around them reads: bidi marks, invisible spaces, tags, selectors of variants
 * that nothing has. Joiners stay, and the selectors of emoji: some scripts need them.
 */
const unseen =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]+/gu
const control = /(?:(?![\n\t])\p{Cc})+/gu
const lineBreak = /\r\n?|[\u0085\u2028\u2029]/g

/**
 * Takes out of a text what nobody sees, so that it reads the same to a person and to a model: invisible characters, controls, terminal
 * colours. Line breaks become `\n`; they and tabs stay. The result is well-formed, and stays as it is the second time.
 *
 * @param instead what stands where characters were taken out; colours leave nothing behind
 *
 * @example
 * toVisible('pay\u200bpal') // 'paypal'
 * toVisible('one\r\n\u001b[31mtwo\u001b[0m') // 'one\ntwo'
 */
export function toVisible(text: string, instead = ''): string {
  // In this order: what is taken out must not join two halves of an escape sequence.
  return text
    .toWellFormed()
    .replace(unseen, instead)
    .replace(escapeSequence, '')
    .replace(lineBreak, '\n')
    .replace(control, instead)
}
