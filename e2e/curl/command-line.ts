/** A curl line as documents print it, taken apart. */
export interface CurlCommand {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  /** The programs that the output is piped through, word by word. */
  pipeline: string[][]
}

const OPERATOR = Symbol('|')
type Token = string | typeof OPERATOR

/**
 * Reads one curl line with its pipe, in shell notation: quotes, continued lines and comments are understood, and of
 * curl's options -s, -N, -X, -H and -d, alone or run together (`-sNX POST`).
 *
 * @throws Error for anything else, so that a line is never run as something other than what it says.
 */
export function parseCurlCommand(text: string): CurlCommand {
  const [first = [], ...pipeline] = splitPipe(tokenize(text))
  const [program, ...words] = first
  if (program !== 'curl') throw new Error(`Not a curl line: ${text}`)
  const command: CurlCommand = { method: 'GET', url: '', headers: {}, body: undefined, pipeline }
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word.startsWith('-')) readOptions(word, words, command)
    else command.url = word
  }
  return command
}

function readOptions(word: string, rest: string[], command: CurlCommand): void {
  for (const letter of word.slice(1).replace(/[sN]/g, '')) {
    const value = rest.shift()
    if (value === undefined) throw new Error(`-${letter} needs a value`)
    if (letter === 'X') command.method = value
    else if (letter === 'd') command.body = value
    else if (letter === 'H') addHeader(command.headers, value)
    else throw new Error(`curl option -${letter} is not understood here`)
  }
}

function addHeader(headers: Record<string, string>, line: string): void {
  const [name = '', ...parts] = line.split(':')
  headers[name.trim().toLowerCase()] = parts.join(':').trim()
}

function splitPipe(tokens: readonly Token[]): string[][] {
  const commands: string[][] = [[]]
  for (const token of tokens) {
    if (token === OPERATOR) commands.push([])
    else commands.at(-1)?.push(token)
  }
  return commands
}

/** Comment, blank or continued line, pipe, word; a word may be made of quoted and bare pieces. */
const TOKEN = /#[^\n]*|(?:\\\n|\s)+|(\|)|((?:'[^']*'|"[^"]*"|[^\s|'"\\])+)/y

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (!match) throw new Error(`Cannot read this shell text from here: ${text.slice(at, at + 40)}`)
    if (match[1] !== undefined) tokens.push(OPERATOR)
    else if (match[2] !== undefined) tokens.push(match[2].replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
  }
  return tokens
}
