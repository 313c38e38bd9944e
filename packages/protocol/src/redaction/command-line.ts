const SECRET = '<secret>'

const flag =
  '(?<![\\w-])--?[a-z0-9_-]{0,40}?(?:pass(?:word|wd|phrase|code)|pwd|secret|token|api[_-]?key|(?:access|account|secret)[_-]?key)'
const secretFlag = new RegExp(`^${flag}$`, 'i')
/** What follows the name of a flag where something is said of it. */
const prose =
  'is|are|was|were|be|has|have|had|and|or|nor|but|to|for|from|in|into|on|of|at|by|with|without|as|if|when|where|which|that|this|the|an?|it|its|must|may|can|cannot|could|should|will|would|does|do|did|not|no|needs?|takes?|requires?|expects?|expected|required|missing|given|unset|says?|flags?|options?|arguments?|values?|instead|together|only|also|twice'
/**
 * A flag of a command line and the word behind it, in quotes or without; and both as entries of a list. What is said of a flag in a
 * sentence (`--token is missing`), and another flag, are none.
 */
const argument = new RegExp(
  [
    `(${flag}(?:[ \\t]{1,4}|\\\\{0,4}["'\`][ \\t]{0,4},[ \\t]{0,4})(\\\\{0,4}["'\`]))(?!-)[^\\r\\n]*?(?=(?<!\\\\)\\2|[\\r\\n]|$)`,
    `(${flag}[ \\t]{1,4})(?!-|(?:${prose})(?![^\\s.,;:!?)]))[^\\s"'\`&,;|<>()\\]}]+`,
  ].join('|'),
  'gi',
)

/**
 * Puts `<secret>` behind the flags of command lines that say so.
 *
 * @example
 * maskArguments('psql --password hunter2 -h db') // 'psql --password <secret> -h db'
 */
export function maskArguments(text: string): string {
  return text.replace(argument, `$1$3${SECRET}`)
}

/** Whether a word of a command line says that the next one is a secret: `--password`, `--db-token`, `-apiKey`. */
export function isSecretFlag(word: unknown): boolean {
  return typeof word === 'string' && secretFlag.test(word)
}
