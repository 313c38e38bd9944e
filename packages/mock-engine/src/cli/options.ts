import { parseArgs } from 'node:util'
import { ENGINES, type EngineGeneration } from '../bus/generation.ts'
import { formatFaultHelp } from '../faults/catalog.ts'
import { readRule } from '../faults/rule-text.ts'
import type { MockEngineOptions } from '../options.ts'
import { findNearest } from '../suggestions/nearest.ts'

/** What the command line asks for. */
export type EngineCommand =
  | { readonly run: 'start'; readonly options: MockEngineOptions }
  | { readonly run: 'print'; readonly text: string }
  | { readonly run: 'refuse'; readonly text: string }

const PORT_FLAGS = { bus: '--port', http: '--http-port', 'restricted bus': '--port' } as const

const HELP = `iii-mock-engine: an iii engine in one process, for development and tests

  --engine-version V  be like engine 0.22 or 0.23 (default 0.22)
  --port N            port of the worker bus (default 49134)
  --http-port N       port that http triggers are served on (default 3111)
  --host ADDR         address to listen on (default 127.0.0.1)
  --data DIR          keep state in this folder, so that it survives a restart
  --fixed             without the defects of the engine
  --fault 'RULE'      let something go wrong, such as 'lose-result function=orders::* times=1'; may be repeated
  --seed N            a whole number: what faults leave to chance repeats with it (default 1)
  --help, -h          print this
  --version           print the version

Faults, with their fields:

${formatFaultHelp()}`

/** Reads the arguments of the command. */
export function parseEngineCommand(argv: readonly string[], version: string): EngineCommand {
  try {
    const { values } = parseArgs({ args: [...argv], options: FLAGS })
    if (values.help) return { run: 'print', text: HELP }
    if (values.version) return { run: 'print', text: `${version}\n` }
    return {
      run: 'start',
      options: {
        engine: toEngine(values['engine-version']),
        ...toPorts(values.port, values['http-port']),
        host: values.host,
        fixed: values.fixed,
        faults: values.fault.map(readRule),
        seed: toSeed(values.seed),
        ...(values.data === undefined ? {} : { dataDir: toFolder(values.data) }),
      },
    }
  } catch (error) {
    const reason = explain(error)
    return { run: 'refuse', text: `${reason}${reason.endsWith('?') ? '' : '.'} --help lists what can be set\n` }
  }
}

const FLAGS = {
  'engine-version': { type: 'string', default: '0.22' },
  port: { type: 'string', default: '49134' },
  'http-port': { type: 'string', default: '3111' },
  host: { type: 'string', default: '127.0.0.1' },
  data: { type: 'string' },
  fixed: { type: 'boolean', default: false },
  fault: { type: 'string', multiple: true, default: [] as string[] },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, kind, flag] = /^(Unknown option|Option) '(?:-h, )?(-[^ ']+)/.exec(error.message) ?? []
  if (flag === undefined) return error.message.split('. ')[0] ?? ''
  if (kind === 'Option') return explainValue(error.message, flag)
  const flags = Object.keys(FLAGS).map((name) => `--${name}`)
  const nearest = findNearest(flag, flags)
  return `unknown option ${flag}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

function explainValue(message: string, flag: string): string {
  if (message.includes('does not take')) return `${flag} takes no value`
  return message.includes('ambiguous')
    ? `${flag} needs a value; one that begins with '-' is written ${flag}=-…`
    : `${flag} needs a value`
}

/** @throws for one port in two places: its second one would be said to be taken by somebody else */
function toPorts(bus: string, http: string): { port: number; httpPort: number } {
  const [port, httpPort] = [toPort('--port', bus), toPort('--http-port', http)]
  if (port === httpPort && port !== 0) throw new Error(`--port and --http-port are both ${port}, and have to differ`)
  return { port, httpPort }
}

function toPort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new Error(`${flag} takes a port from 0 to 65535, not '${text}'`)
  return port
}

function toFolder(text: string): string {
  if (text === '') throw new Error('--data takes a folder, and not an empty text')
  return text
}

function toEngine(text: string): EngineGeneration {
  const engine = ENGINES.find((version) => version === text)
  if (engine === undefined) throw new Error(`--engine-version takes ${ENGINES.join(' or ')}, not '${text}'`)
  return engine
}

function toSeed(text: string): number {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number, not '${text}'`)
  return seed
}

/** The flag that chooses another port for a use. */
export function portFlag(use: keyof typeof PORT_FLAGS): string {
  return PORT_FLAGS[use]
}
