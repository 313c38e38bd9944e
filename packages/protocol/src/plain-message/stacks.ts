/** Takes out what tells where in a program something happened, and the escape sequences that colour a text on a terminal. */
export function dropStacks(text: string): string {
  return text
    .replace(escapeSequence, '')
    .replace(pythonTrace, '')
    .replace(goroutine, '')
    .replace(headedTrace, '')
    .replace(stackLine, '')
}

const ESCAPE = '\u001b'
const INTRODUCER = '\u009b'
/** Colours stand between a path and what is around it. What is left of a broken sequence must not begin a new one. */
const escapeSequence = new RegExp(`(?:${ESCAPE}\\[|${INTRODUCER})[0-9;:?]*[ -/]*[@-~]|[${ESCAPE}${INTRODUCER}]`, 'g')

/** How lines end, and what else is in one: as they are, and where a newline was written as `\n` by a second JSON encoding. */
const PLAIN = { newline: '\\r?\\n', rest: '[^\\r\\n]*' }
const ENCODED = { newline: '\\\\n', rest: '(?:(?!\\\\n)[^\\r\\n])*' }
const begin = `(?:^|${PLAIN.newline}|${ENCODED.newline})`

/** Lines that begin so, one below the other, of one encoding. */
function linesOf(beginning: string): string {
  const [plain, encoded] = [PLAIN, ENCODED].map(({ newline, rest }) => `(?:${newline}(?:${beginning})${rest})+`)
  return `(?:${plain}|${encoded})`
}

/** Lines such as `    at f (file:1:2)`, and those of other languages that cannot be anything else. */
const stackLine = new RegExp(
  `${begin}(?:[ \\t]+(?:at |from [^\\s:]+:\\d+:in |\\.\\.\\. \\d+ more(?!\\w))|--- End of [a-z ]{0,20}stack trace)${ENCODED.rest}`,
  'g',
)
/** `Stack trace:` and its kin, of Rust, PHP and others, with all lines below that are indented or numbered. */
const headedTrace = new RegExp(
  `${begin}[ \\t]*(?:[Ss]tack (?:back)?trace|[Bb]acktrace):${linesOf('[ \\t]+|#\\d|--- End of ')}`,
  'g',
)
/** What one of Go's goroutines did, up to the blank line that ends it. */
const goroutine = new RegExp(`${begin}[ \\t]*goroutine \\d+ \\[[\\w ,()]*\\]:${linesOf('(?!\\\\n)[^\\r\\n]')}`, 'g')
/**
 * `Traceback …:` with all its indented lines. Those of a group of errors stand behind a bar, and so do their messages, which stay.
 */
const pythonTrace = new RegExp(
  `(?:\\+ Exception Group )?Traceback \\(most recent call last\\):${linesOf('[ \\t]*\\|[ \\t]{2,}|[ \\t]+(?![ \\t|+])')}?(?:${PLAIN.newline}|${ENCODED.newline})?`,
  'g',
)
