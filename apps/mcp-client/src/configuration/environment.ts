import { readRegularFile } from '@iii/sdk'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { findHidden, looksSecret } from './secret-look.ts'
import type { EnvironmentPlan, EnvironmentSource } from './server-config.ts'
import { isOwn } from './variable-name.ts'

export interface EnvironmentOptions {
  /** Of this worker. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/** All that a server gets, and what of it must never be shown; or why it cannot be started. */
export type ServerEnvironment =
  | { readonly variables: Record<string, string>; readonly secrets: readonly string[] }
  | { readonly problem: Diagnostic }

/** Without these hardly a program runs. */
const BASE = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']
const LOCALE = /^LC_/
const WINDOWS_BASE = [
  ...[
    'APPDATA',
    'COMMONPROGRAMFILES',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LANG',
    'LOCALAPPDATA',
    'NUMBER_OF_PROCESSORS',
  ],
  ...[
    'OS',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'SYSTEMDRIVE',
  ],
  ...['SYSTEMROOT', 'TEMP', 'TMP', 'TZ', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]

/**
 * Builds the environment of a server from nothing: the base, what it inherits, and what is set, of which the later counts.
 *
 * @returns the problem when a secret is not there, all of them in one text
 */
export async function readEnvironment(plan: EnvironmentPlan, options: EnvironmentOptions): Promise<ServerEnvironment> {
  const variables = createVariables(options.platform)
  const passable = Object.entries(options.env).flatMap(([name, text]) =>
    text !== undefined && isPassed(name, text) ? [{ name, text }] : [],
  )
  const base = passable.filter(({ name }) => isBase(name, options.platform))
  const inherited = passable.filter(({ name }) => isInherited(name, plan, options.platform))
  for (const { name, text } of [...base, ...inherited]) variables.set(name, text)
  const found = [...plan.set].map(([name, source]) => ({ name, source, ...readSource(source, options) }))
  const problems = found.flatMap(({ name, problem }) => (problem === undefined ? [] : [`env.set.${name}: ${problem}`]))
  if (problems.length > 0) return { problem: toDiagnostic(problems) }
  for (const { name, text = '' } of found) variables.set(name, text)
  const referred = found.filter(({ source, text = '' }) => source.kind !== 'value' && text !== '')
  // What nobody has called a secret may be one all the same.
  const looking = [...inherited, ...found].filter(({ name, text = '' }) => looksSecret(name, text))
  const secrets = [...referred, ...looking].flatMap(({ text = '' }) => [text, ...findHidden([text])])
  return { variables: variables.toRecord(), secrets: [...new Set(secrets)] }
}

function toDiagnostic(problems: readonly string[]): Diagnostic {
  const [first = ''] = problems
  return { code: 'secret_missing', message: problems.join('; '), subject: first.slice(0, first.indexOf(':')) }
}

function isPassed(name: string, value: string): boolean {
  // A function of bash, which some shells run when they start.
  return !isOwn(name) && !value.startsWith('()')
}

function isBase(name: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? WINDOWS_BASE.includes(name.toUpperCase()) : BASE.includes(name) || LOCALE.test(name)
}

function isInherited(name: string, { inherit }: EnvironmentPlan, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') return inherit.includes(name)
  return inherit.some((one) => one.toUpperCase() === name.toUpperCase())
}

type Reading =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: string; readonly text?: undefined }

function readSource(source: EnvironmentSource, options: EnvironmentOptions): Reading {
  if (source.kind === 'value') return { text: source.value }
  return source.kind === 'env' ? readVariable(source.name, options) : readSecretFile(source.path, options.platform)
}

function readVariable(name: string, { env, platform }: EnvironmentOptions): Reading {
  const found = platform === 'win32' ? Object.keys(env).find((one) => one.toUpperCase() === name.toUpperCase()) : name
  const text = found === undefined ? undefined : env[found]
  if (text !== undefined && text !== '') return { text }
  return { problem: `this worker has no variable ${name}, or it is empty: set it where the worker is started` }
}

const MAX_SECRET_BYTES = 64 * 1024
const OTHERS = 0o077

function readSecretFile(path: string, platform: NodeJS.Platform): Reading {
  try {
    const content = readRegularFile(path, { maxBytes: MAX_SECRET_BYTES })
    if (content.problem !== undefined) return { problem: `its file ${content.problem}` }
    if (platform !== 'win32' && (content.mode & OTHERS) !== 0) {
      const mode = content.mode.toString(8).padStart(4, '0')
      return { problem: `others than its owner may read or write its file (mode ${mode}): chmod 600 it` }
    }
    return readSecret(content.bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { problem: 'its file is not there: write the secret, and nothing else, into it' }
    return { problem: `its file cannot be read: ${code ?? 'unknown error'}` }
  }
}

function readSecret(bytes: Buffer): Reading {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
    if (text === '') return { problem: 'its file is empty' }
    return text.includes('\0') ? { problem: 'its file has a NUL character, which no variable can have' } : { text }
  } catch {
    return { problem: 'its file is no text in UTF-8' }
  }
}

interface Variables {
  set(name: string, value: string): void
  toRecord(): Record<string, string>
}

/** On Windows two names that differ in case are one variable. */
function createVariables(platform: NodeJS.Platform): Variables {
  const byKey = new Map<string, readonly [string, string]>()
  return {
    set: (name, value) => void byKey.set(platform === 'win32' ? name.toUpperCase() : name, [name, value]),
    toRecord: () => Object.fromEntries(byKey.values()),
  }
}
