import { parseArgs } from 'node:util'
import type { MockEngineOptions } from './options.ts'

/** What the command line asks for. */
export type Command =
  | { readonly run: 'start'; readonly options: MockEngineOptions }
  | { readonly run: 'print'; readonly text: string }
  | { readonly run: 'refuse'; readonly text: string }

const PORT_FLAGS = { bus: '--port', http: '--http-port', 'restricted bus': '--port' } as const

const HELP = `iii-mock-engine: an iii engine in one process, for development and tests

  --port N       port of the worker bus (default 49134)
  --http-port N  port that http triggers are served on (default 3111)
  --host ADDR    address to listen on (default 127.0.0.1)
  --data DIR     keep state in this folder, so that it survives a restart
  --help         print this
  --version      print the version
`

/** Reads the arguments of the command. */
export function parseCommand(argv: readonly string[], version: string): Command {
  try {
    const { values } = parseArgs({ args: [...argv], options: FLAGS })
    if (values.help) return { run: 'print', text: HELP }
    if (values.version) return { run: 'print', text: `${version}\n` }
    return {
      run: 'start',
      options: {
        port: toPort('--port', values.port),
        httpPort: toPort('--http-port', values['http-port']),
        host: values.host,
        ...(values.data === undefined ? {} : { dataDir: values.data }),
      },
    }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)
    return { run: 'refuse', text: `${reason}. --help lists what can be set\n` }
  }
}

const FLAGS = {
  port: { type: 'string', default: '49134' },
  'http-port': { type: 'string', default: '3111' },
  host: { type: 'string', default: '127.0.0.1' },
  data: { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

function toPort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new Error(`${flag} takes a port from 0 to 65535, not '${text}'`)
  return port
}

/** The flag that chooses another port for a use. */
export function portFlag(use: keyof typeof PORT_FLAGS): string {
  return PORT_FLAGS[use]
}
