/** Takes out what tells where in a program something happened, and the escape sequences that colour a text on a terminal. */
export function dropStacks(text: string): string {
  return text.replace(escapeSequence, '').replace(pythonTrace, '').replace(stackLine, '')
}

const ESCAPE = '\u001b'
const INTRODUCER = '\u009b'
/** Colours stand between a path and what is around it. What is left of a broken sequence must not begin a new one. */
const escapeSequence = new RegExp(`(?:${ESCAPE}\\[|${INTRODUCER})[0-9;:?]*[ -/]*[@-~]|[${ESCAPE}${INTRODUCER}]`, 'g')
/** Lines such as `    at f (file:1:2)`, also where a newline was written as `\n` by a second JSON encoding. */
const stackLine = /(?:^|\r?\n|\\n)[ \t]+at (?:(?!\\n)[^\r\n])*/g
/** `Traceback …:` with all its indented lines, in either encoding. */
const pythonTrace =
  /Traceback \(most recent call last\):(?:(?:\r?\n[ \t]+[^\r\n]*)+(?:\r?\n)?|(?:\\n[ \t]+(?:(?!\\n)[^\r\n])*)+(?:\\n)?|\r?\n|\\n)?/g
