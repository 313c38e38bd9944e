/** The ways in which a secret may stand in a text, as texts to look for. */
export interface Encodings {
  /** As it is, escaped for JSON once or twice, in hex. */
  readonly plain: readonly string[]
  /** The letters that stand in base64 of anything that has the secret in it, whatever is around it, in both alphabets. */
  readonly base64: readonly string[]
}

/**
 * @param secret long enough not to stand in a text by chance
 *
 * @example
 * toEncodings('s3cret-canary').base64.includes('czNjcmV0LWNhbmFye') // true
 */
export function toEncodings(secret: string): Encodings {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const escaped = toEscaped(secret)
  const ascii = toAsciiEscaped(secret)
  const plain = [secret, escaped, ascii, toEscaped(escaped), toEscaped(ascii), hex, hex.toUpperCase()]
  const withSlashes = [...plain, ...plain.map((text) => text.replaceAll('/', '\\/'))]
  const cores = [0, 1, 2].map((before) => toCore(bytes, before))
  const base64 = cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_'), ...toCarried(core)])
  return { plain: [...new Set(withSlashes)], base64: [...new Set(base64)] }
}

/** @param before bytes before the secret, modulo three: they share letters with its first byte, and what follows with its last */
function toCore(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const start = Math.ceil((8 * before) / 6)
  const end = Math.floor((8 * (before + bytes.length)) / 6)
  return whole.slice(start, end)
}

/** Base64 in JSON of those that escape slashes, and in addresses. */
function toCarried(core: string): string[] {
  const percent = core.replaceAll('+', '%2B').replaceAll('/', '%2F')
  return [core.replaceAll('/', '\\/'), percent, percent.replaceAll('%2B', '%2b').replaceAll('%2F', '%2f')]
}

function toEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function toAsciiEscaped(text: string): string {
  return toEscaped(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Finds a secret of which any characters are percent-encoded, also as forms write it. */
export function toPercentPattern(secret: string): RegExp {
  const parts = [...secret].map((character) => {
    const bytes = [...Buffer.from(character, 'utf8')].map((byte) => `%${toAnyCase(byte.toString(16).padStart(2, '0'))}`)
    return `(?:${toPattern(character)}|${bytes.join('')}${character === ' ' ? '|\\+' : ''})`
  })
  return new RegExp(parts.join(''), 'g')
}

/** A run of backslashes is one unit: each by itself would be tried in very many ways. */
const UNITS = /\\+|[^\\]/gs
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['"', '"'],
  ['/', '/'],
])
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['"', 'quot'],
  ["'", 'apos'],
])

/** Finds a secret of which any characters are escaped as JSON of other languages has them (`\u0026`), once or twice, or as HTML has them. */
export function toEscapedPattern(secret: string): RegExp {
  const parts = (secret.match(UNITS) ?? []).map((unit) => `(?:${toWritings(unit).join('|')})`)
  return new RegExp(parts.join(''), 'g')
}

function toWritings(unit: string): string[] {
  const code = unit.charCodeAt(0)
  const hex = code.toString(16)
  const byCode = `\\\\{1,2}u${toAnyCase(hex.padStart(4, '0'))}`
  if (unit.startsWith('\\')) return [`\\\\{${unit.length},${4 * unit.length}}`, `(?:${byCode}){${unit.length}}`]
  const short = SHORT_ESCAPES.get(unit)
  const entity = ENTITIES.get(unit)
  return [
    toPattern(unit),
    byCode,
    ...(short === undefined ? [] : [`\\\\{1,3}${toPattern(short)}`]),
    ...(entity === undefined ? [] : [`&(?:${entity}|#0*${code}|#[xX]0*${toAnyCase(hex)});`]),
  ]
}

function toAnyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

/** A regular expression for this text and nothing else. */
export function toPattern(text: string): string {
  return text.replace(/[$()*+\-./?[\\\]^{|}]/g, '\\$&')
}
