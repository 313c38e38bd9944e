const SECRET = '<secret>'

/**
 * Puts `<secret>` where secrets stand: behind names such as `password` and `api_key`, in headers, and wherever a text has the shape
 * of a well-known kind of key. A name with a colon and a word (`password: expected string`) is prose and stays.
 */
export function maskSecrets(text: string): string {
  return text
    .replace(keyShape, SECRET)
    .replace(cookie, `$1${SECRET}`)
    .replace(credentials, `$1${SECRET}`)
    .replace(pair, maskPair)
}

/** PEM keys, JSON web tokens, and the keys of services that mark theirs, with those of `iii-mcp token create` among them. */
const keyShape = new RegExp(
  [
    '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]{0,40}-----|$)',
    '(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]+(?:\\.[\\w-]*)?',
    '(?<![\\w-])(?:sk|pk|rk)[-_](?=[A-Za-z_-]*\\d)[\\w-]{16,}',
    '(?<![\\w-])(?:gh[opsur]|github_pat|glpat|xox[a-z])[-_][\\w-]{16,}',
    '(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}',
    '(?<![\\w-])iii_[\\w-]{43}_[0-9a-f]{8}',
  ].join('|'),
  'g',
)

const cookie = /(cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?)[\w.-]{1,100}=[^\r\n"'<]+/gi
/** `Bearer …` without its header, before what cannot be a word: words have no digits, and numbers are short. */
const credentials = /((?<![\w-])(?:bearer|basic)[ \t]{1,4})(?=[\w.~+/-]*[\d=])[\w.~+/=-]{6,}/gi

const names =
  'pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|sig(?:nature)?|authorization|api[_-]?key|(?:access|account|secret|private|signing|encryption)[_-]?key'
const name = `(?<!unexpected )(?:${names})\\\\{0,4}["'\`]?[ \\t]{0,4}`
const scheme = '(?:bearer|basic|digest|token|negotiate|apikey)[ \\t]{1,4}'
const value = '[^\\s"\'`&,;|<>)\\]}]'
/**
 * A name, its sign and a value: in quotes; behind `=` or a colon without a blank; behind a colon and a blank, where it must look like a
 * secret or follow the scheme of a header. `token::create` is a function, `token == x` a comparison, an unexpected token
 * belongs to a parser.
 */
const pair = new RegExp(
  [
    `(${name}[=:][ \\t]{0,4}(\\\\{0,4}["'\`]))[^\\r\\n]*?(?=(?<!\\\\)\\2|[\\r\\n]|$)`,
    `(${name}(?:=(?![=>~])[ \\t]{0,4}|:(?![:\\s]|\\d{1,5}(?!\\w)))(?:${scheme})?)(?:<secret>|${value}+)`,
    `(${name}:[ \\t]{1,4})(?:(${scheme})(?:<secret>|${value}+)|(?=${value}*[\\d=])${value}{6,})`,
  ].join('|'),
  'gi',
)

function maskPair(_match: string, quoted = '', _mark = '', joined = '', apart = '', header = ''): string {
  return `${quoted}${joined}${apart}${header}${SECRET}`
}
