import { resolve } from 'node:path'
import { isRecord } from '@iii/protocol'
import { z } from 'zod'
import { looksSecret } from './secret-look.ts'
import type { EnvironmentSource } from './server-config.ts'
import { explainOwnVariable, explainVariable } from './variable-name.ts'

/** A value of `env.set` as the file has it. */
type WrittenSource = { value: string } | { env: string } | { file: string }

const FORMS = '{ value: TEXT } for what is no secret, { env: NAME } or { file: PATH }'
const MAX_VARIABLES = 256
const MAX_VALUE_LENGTH = 32_768

const variableName = z.string().superRefine((name, context) => {
  const problem = explainOwnVariable(name)
  if (problem !== undefined) context.addIssue(problem)
})

/** `env` of a server. What is wrong with it is said without a value, which may be a secret. */
export const EnvironmentEntry = z.object({
  inherit: z.array(variableName).max(MAX_VARIABLES).default([]),
  set: z.unknown().default({}).transform(readSet),
})

function readSet(raw: unknown, context: z.RefinementCtx): ReadonlyMap<string, WrittenSource> {
  const read = new Map<string, WrittenSource>()
  if (raw === undefined || raw === null) return read
  const entries = typeof raw === 'object' && !Array.isArray(raw) ? Object.entries(raw) : undefined
  if (entries === undefined || entries.length > MAX_VARIABLES) {
    context.addIssue(`must be at most ${MAX_VARIABLES} names of variables, each with ${FORMS}`)
    return read
  }
  for (const [name, source] of entries) {
    const problem = explainVariable(name) ?? explainSource(source)
    if (problem === undefined) read.set(name, source as WrittenSource)
    else context.addIssue({ code: 'custom', message: problem, path: [name] })
  }
  return read
}

function explainSource(source: unknown): string | undefined {
  const keys = isRecord(source) ? Object.keys(source) : []
  const [key, ...others] = keys
  if (key === undefined || others.length > 0 || !isForm(key)) return `must be ${FORMS}`
  const text: unknown = (source as Record<string, unknown>)[key]
  if (typeof text !== 'string') return `${key} must be a text: put it in quotes`
  if (text.includes('\0') || text.length > MAX_VALUE_LENGTH) {
    return `${key} must have no NUL character and at most ${MAX_VALUE_LENGTH} characters`
  }
  if (key === 'env') return explainReference(text)
  if (key === 'file' && text === '') return 'file must be the path of a file'
  if (key === 'file' && text.startsWith('~'))
    return "file begins with '~', which no shell expands here: write the whole path"
  return undefined
}

function explainReference(name: string): string | undefined {
  if (looksSecret('', name)) return 'env must be the name of a variable, and looks like a secret'
  const problem = explainOwnVariable(name)
  return problem === undefined ? undefined : `env: ${problem}`
}

function isForm(key: string): boolean {
  return key === 'value' || key === 'env' || key === 'file'
}

/** @param folder that paths in the file are relative to */
export function toEnvironmentSource(written: WrittenSource, folder: string): EnvironmentSource {
  if ('env' in written) return { kind: 'env', name: written.env }
  if ('file' in written) return { kind: 'file', path: resolve(folder, written.file) }
  return { kind: 'value', value: written.value }
}
