/** A piece of code in markdown. What it is made of has no backticks at the beginning of a line. */
export function toCodeBlock(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trim()}\n\`\`\``
}

/** How every worker in JavaScript begins. */
export const NODE_HEAD = `import { registerWorker } from 'iii-sdk'

const worker = registerWorker(process.env.III_URL ?? 'ws://127.0.0.1:49134')`

/** How to run the worker that comes next. */
export const NODE_STEPS = 'In an empty folder, `npm install iii-sdk` (Node 20 or newer), and save this as `worker.mjs`:'
export const NODE_RUN =
  'Run it with `node worker.mjs` and leave it running; `III_URL` names an engine that is not at `ws://127.0.0.1:49134`. It runs on the package `@iii/sdk` as well: install that one, and import from it.'

/** A text as a literal of JavaScript and of Python. */
export function toLiteral(text: string): string {
  const json = JSON.stringify(text)
  return /["'\\]/.test(text) || json.includes('\\') ? json : `'${text}'`
}
