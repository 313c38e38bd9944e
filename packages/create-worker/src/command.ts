import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '@iii/sdk'
import { explainParseError } from '@iii/sdk/cli'
import { explainName } from './name.ts'
import type { ProjectLanguage } from './project.ts'

/** What the command line asks for. */
export type CreateCommand =
  | { readonly run: 'create'; readonly folder: string; readonly name: string; readonly language: ProjectLanguage }
  | { readonly run: 'print'; readonly text: string }
  | { readonly run: 'refuse'; readonly text: string }

const HELP = `Usage: npm create iii-worker [FOLDER] -- [--name NAME] [--js]

Writes a worker for the iii engine into a new folder: a function, a skill, a test, and scripts to run, test and pack them.

  FOLDER       where it goes (default hello)
  --name NAME  what the worker is called (default the name of the folder)
  --js         plain JavaScript in place of TypeScript
  --help, -h   print this
  --version    print the version
`

const OPTIONS = {
  name: { type: 'string' },
  js: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

const DEFAULT_FOLDER = 'hello'

/** @param toPath makes an absolute path of one that was typed; what it throws is thrown */
export function parseCreateCommand(argv: readonly string[], version: string, toPath = toPathFromHere): CreateCommand {
  const read = readWords(argv)
  if ('run' in read) return read
  const { values, positionals } = read
  if (values.help) return { run: 'print', text: HELP }
  if (values.version) return { run: 'print', text: `${version}\n` }
  const [said = DEFAULT_FOLDER, ...others] = positionals
  if (others.length > 0) return refuse(`one folder, and not '${others[0]}' as well`)
  if (said === '') return refuse('the word for the folder is empty. --help lists what can be set')
  const folder = toPath(said)
  const name = values.name ?? basename(folder)
  const problem = explainName(name)
  const where = values.name === undefined ? ' Choose another with --name NAME' : ''
  if (problem !== undefined) return refuse(`'${name}' cannot be the name of a worker: ${problem}.${where}`)
  return { run: 'create', folder, name, language: values.js ? 'javascript' : 'typescript' }
}

function toPathFromHere(said: string): string {
  return resolve(said)
}

function readWords(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const problem = explainParseError(error, OPTIONS) ?? messageOf(error)
    return refuse(`${problem}${problem.endsWith('?') ? '' : '.'} --help lists what can be set`)
  }
}

function refuse(reason: string): CreateCommand {
  return { run: 'refuse', text: `create-iii-worker: ${reason}\n` }
}
