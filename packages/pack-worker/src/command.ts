import { parseArgs } from 'node:util'
import { explainParseError } from '@iii/sdk/cli'
import { SCRIPT } from './archives.ts'
import { toArchiveUrl } from './payload.ts'

/** What the command line asks for. */
export type PackCommand =
  | { readonly run: 'pack'; readonly options: PackWords }
  | { readonly run: 'print'; readonly text: string }
  | { readonly run: 'refuse'; readonly text: string }

export interface PackWords {
  /** Path of the source that starts the worker. */
  readonly main: string | undefined
  /** Folder of the archives. */
  readonly out: string
  readonly isStarted: boolean
  readonly baseUrl: string | undefined
}

const HELP = `iii-pack-worker: makes archives for the engine of the worker in this folder

  --main FILE      the source that starts it (default src/main.ts, or src/main.js)
  --out DIR        where the archives go (default archives)
  --no-start       leave out that it is started on an embedded engine, and has to get ready
  --base-url URL   where the archives will be downloaded from: writes what a worker registry is told, too
  --help, -h       print this
  --version        print the version

Its ${SCRIPT} is what iii.worker.yaml starts: one file, with all that the worker needs.
`

const OPTIONS = {
  main: { type: 'string' },
  out: { type: 'string', default: 'archives' },
  'no-start': { type: 'boolean', default: false },
  'base-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

export function parsePackCommand(argv: readonly string[], version: string): PackCommand {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS })
    if (values.help) return { run: 'print', text: HELP }
    if (values.version) return { run: 'print', text: `${version}\n` }
    const { main, out, 'base-url': baseUrl } = values
    const empty = (['main', 'out'] as const).find((name) => values[name] === '')
    if (empty !== undefined) return refuse(`--${empty} needs a value`)
    if (baseUrl !== undefined) toArchiveUrl(baseUrl, SCRIPT)
    return { run: 'pack', options: { main, out, isStarted: !values['no-start'], baseUrl } }
  } catch (error) {
    return refuse(explainParseError(error, OPTIONS) ?? (error as Error).message)
  }
}

function refuse(problem: string): PackCommand {
  return { run: 'refuse', text: `iii-pack-worker: ${problem}\n--help lists what can be set\n` }
}
