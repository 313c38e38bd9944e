import { looksSecret } from '../configuration/secret-look.ts'
import { explainOwnVariable } from '../configuration/variable-name.ts'

/** A variable of a server as our file has it. */
export interface Variable {
  readonly source: { readonly value: string } | { readonly env: string } | { readonly file: string }
  /** What a person has to do, or to know. */
  readonly note: string | undefined
  /** The file has a secret here, which is not copied. */
  readonly isRefused: boolean
}

const WHOLE_REFERENCE = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}$/
const INPUT = /^\$\{input:([^}]+)\}$/
const REFERENCE = /\$\{/

/** A reference becomes one, a value stays, and what looks like a secret is not copied. */
export function convertVariable(name: string, value: unknown, inputs: ReadonlyMap<string, string>): Variable {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') return refer(name, 'the value in the file is no text')
  const [, variable, fallback] = WHOLE_REFERENCE.exec(text) ?? []
  if (variable !== undefined && explainOwnVariable(variable) === undefined) {
    const note = fallback === undefined ? undefined : 'a default is not taken over: the variable has to be set'
    return { source: { env: variable }, note, isRefused: false }
  }
  const [, input] = INPUT.exec(text) ?? []
  if (input !== undefined) return fillIn(input, inputs.get(input))
  if (REFERENCE.test(text)) return refer(name, 'nothing is expanded here: set the variable to the whole value')
  if (!looksSecret(name, text)) return { source: { value: text }, note: undefined, isRefused: false }
  const note = `what the file has here looks like a secret and is not copied: set ${name} where the worker is started, or write { file: PATH }`
  return { source: { env: name }, note, isRefused: true }
}

function refer(name: string, note: string): Variable {
  return { source: { env: name }, note, isRefused: false }
}

function fillIn(input: string, description: string | undefined): Variable {
  const file = `./${input
    .slice(0, 64)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^\.+/, '')}`
  const what = description === undefined || description === '' ? 'what was asked for' : description
  const note = `write ${what} into this file, and nothing else; then chmod 600 it`
  return { source: { file: file === './' ? './secret' : file }, note, isRefused: false }
}
