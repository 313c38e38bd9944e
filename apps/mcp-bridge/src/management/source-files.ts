import { Script } from 'node:vm'

/** What clients may write workers in. */
export type Language = 'node' | 'python'

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['node', 'node'],
  ['javascript', 'node'],
  ['js', 'node'],
  ['python', 'python'],
  ['py', 'python'],
])

export function parseLanguage(text: string): Language | undefined {
  return LANGUAGES.get(text)
}

/** The file that the code of a client becomes. */
export interface SourceFile {
  readonly name: string
  readonly text: string
  /** It registers a worker by itself and leaves nothing to be registered. */
  readonly isWhole: boolean
}

export function toSourceFile(language: Language, code: string): SourceFile {
  return language === 'node' ? toNodeFile(code) : toPythonFile(code)
}

// Written so that each takes time in proportion to the code.
const HANDLER = String.raw`(?:(?:async[ \t]+)?function(?:[ \t]*\*)?|const|let|var)[ \t]+handler\b`
const NODE_HANDLER = new RegExp(`^[ \\t]*${HANDLER}`, 'm')
const NODE_EXPORT = new RegExp(`^[ \\t]*export(?:[ \\t]+default\\b|[ \\t]+${HANDLER}|[ \\t]*\\{)`, 'm')

function toNodeFile(code: string): SourceFile {
  const name = 'handler.mjs'
  const expression = trimEnd(code)
  if (isExpression(expression)) return { name, text: `export default (${expression}\n)\n`, isWhole: false }
  if (NODE_EXPORT.test(code)) return { name, text: code, isWhole: false }
  if (NODE_HANDLER.test(code)) return { name, text: `${code}\nexport { handler }\n`, isWhole: false }
  return { name, text: code, isWhole: /\bregisterWorker\b/.test(code) }
}

/** Without spaces and semicolons at the end. */
function trimEnd(code: string): string {
  let end = code.length
  while (end > 0 && /[;\s]/.test(code.charAt(end - 1))) end -= 1
  return code.slice(0, end)
}

/** Compiles the code and does not run it. */
function isExpression(code: string): boolean {
  try {
    return new Script(`async () => (${code}\n)`) !== undefined
  } catch {
    return false
  }
}

const PYTHON_HANDLER = /^(?:async\s+)?def\s+handler\b|^handler\s*[:=]/m

function toPythonFile(code: string): SourceFile {
  return { name: 'handler.py', text: code, isWhole: !PYTHON_HANDLER.test(code) && /\bregister_worker\b/.test(code) }
}

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(['"])([^'"\n]+)\1/g
const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*/i

/** The packages that code for Node.js imports. */
export function findPackages(code: string): string[] {
  const found = new Set<string>()
  for (const [, , specifier = ''] of code.matchAll(IMPORT)) {
    const [name] = PACKAGE.exec(specifier) ?? []
    // `node:fs` is no package, nor is a URL.
    if (name !== undefined && !specifier.startsWith(`${name}:`)) found.add(name)
  }
  return [...found]
}
