import type { EngineGeneration } from '@iii/mock-engine'
import { findNearest } from '@iii/sdk'
import { toShellWord } from '@iii/sdk/cli'

/** What `start` was asked to do. */
export type StartCommand =
  | { kind: 'help' }
  | { kind: 'wrong'; message: string }
  | ({
      kind: 'embedded'
      httpPort: number
      enginePort: number
      engineVersion: EngineGeneration
      dataDir: string | undefined
    } & Said)
  | ({ kind: 'external'; engineUrl: string; httpUrl: string | undefined } & Said)

/** What holds for either engine. */
interface Said {
  allowRun: boolean
  /** The file that names the MCP servers to run instead of the sample one. */
  mcpServers: string | undefined
  verbose: boolean
}

/** Flags that take a value, and those that do not. */
const VALUED = [
  '--engine',
  '--http-url',
  '--http-port',
  '--engine-port',
  '--engine-version',
  '--data',
  '--mcp-servers',
] as const
const BARE = ['--allow-run', '--verbose', '--help'] as const
type Valued = (typeof VALUED)[number]
type Bare = (typeof BARE)[number]

const EMBEDDED_ONLY: readonly Valued[] = ['--http-port', '--engine-port', '--engine-version', '--data']

/** What the embedded engine can be; the first one is the default. */
const VERSIONS = ['0.22', '0.23'] as const satisfies readonly EngineGeneration[]

export const HELP = `start: an engine, the skills registry, the MCP bridge, the records of runs, MCP servers and a sample worker, until Ctrl-C

  start                       everything on an embedded engine
  start --engine ws://HOST:PORT
                              the same workers on an engine that is already running

Options
  --http-port PORT     HTTP port of the embedded engine, 0 for any free one   [3111]
  --engine-port PORT   bus port of the embedded engine, 0 for any free one    [49134]
  --engine-version V   which engine the embedded one is like: 0.22 or 0.23    [0.22]
  --data DIR           keep the embedded engine's state in files there        [in memory]
  --engine URL         use this running engine
  --http-url URL       where that engine answers HTTP, when it does not tell itself
  --mcp-servers FILE   run the MCP servers of this file instead of the sample one
  --allow-run          let MCP clients run the jobs of the sample worker
  --verbose            show the logs of all processes on stderr
  --help               print this
`

/** Reads the arguments of `start`. A leading `--`, which some package managers pass on, is left out. */
export function parseStartCommand(argv: readonly string[]): StartCommand {
  const words = argv[0] === '--' ? argv.slice(1) : argv
  const flags = readFlags(words.map((word) => (word === '-h' ? '--help' : word)))
  if (typeof flags === 'string') return wrong(flags)
  if (flags.bare.has('--help')) return { kind: 'help' }
  const said = {
    allowRun: flags.bare.has('--allow-run'),
    mcpServers: flags.values.get('--mcp-servers'),
    verbose: flags.bare.has('--verbose'),
  }
  const engineUrl = flags.values.get('--engine')
  return engineUrl === undefined ? toEmbedded(flags.values, said) : toExternal(engineUrl, flags.values, said)
}

interface Flags {
  values: Map<Valued, string>
  bare: Set<Bare>
}

/** Splits argv into flags. A string says what is wrong. */
function readFlags(argv: readonly string[]): Flags | string {
  const flags: Flags = { values: new Map(), bare: new Set() }
  const rest = [...argv]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name = '', inline] = splitOnce(word)
    if (isBare(name) && inline === undefined) flags.bare.add(name)
    else if (isValued(name)) {
      const value = inline ?? rest.shift()
      if (value === undefined || value === '' || value.startsWith('--')) return `${name} needs a value`
      flags.values.set(name, value)
    } else return explainUnknown(name)
  }
  return flags
}

function toEmbedded(values: Flags['values'], said: Said): StartCommand {
  if (values.has('--http-url')) return wrong('--http-url belongs to --engine: the embedded engine has --http-port')
  const httpPort = parsePort(values.get('--http-port') ?? '3111')
  if (httpPort === undefined) return wrong(explainPort('--http-port', values.get('--http-port')))
  const enginePort = parsePort(values.get('--engine-port') ?? '49134')
  if (enginePort === undefined) return wrong(explainPort('--engine-port', values.get('--engine-port')))
  if (httpPort === enginePort && httpPort !== 0) {
    return wrong(`--http-port and --engine-port are both ${httpPort}: they have to differ`)
  }
  const version = values.get('--engine-version') ?? VERSIONS[0]
  const engineVersion = VERSIONS.find((known) => known === version)
  if (engineVersion === undefined) return wrong(`--engine-version takes ${VERSIONS.join(' or ')}, not ${version}`)
  return { kind: 'embedded', httpPort, enginePort, engineVersion, dataDir: values.get('--data'), ...said }
}

function toExternal(engineUrl: string, values: Flags['values'], said: Said): StartCommand {
  const misplaced = EMBEDDED_ONLY.find((name) => values.has(name))
  if (misplaced) return wrong(`${misplaced} is for the embedded engine: leave it out, or leave --engine out`)
  if (!isUrl(engineUrl, ['ws:', 'wss:']))
    return wrong(`--engine takes a URL like ws://127.0.0.1:49134, not ${engineUrl}`)
  const httpUrl = values.get('--http-url')
  if (httpUrl !== undefined && !isUrl(httpUrl, ['http:', 'https:'])) {
    return wrong(`--http-url takes a URL like http://127.0.0.1:3111, not ${httpUrl}`)
  }
  if (httpUrl !== undefined && hasCredentials(httpUrl))
    return wrong('--http-url is shown to whoever sees the terminal: leave its user name and password out')
  return { kind: 'external', engineUrl, httpUrl: httpUrl?.replace(/\/+$/, ''), ...said }
}

function wrong(message: string): StartCommand {
  return { kind: 'wrong', message }
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=')
  return at === -1 || !word.startsWith('--') ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function explainUnknown(name: string): string {
  if (isBare(name)) return `${name} takes no value`
  if (!name.startsWith('-')) return `Unexpected argument ${toShellWord(name)}: start takes flags only`
  const meant = findNearest(name, [...VALUED, ...BARE])
  return `Unknown flag ${name}${meant === undefined ? '' : `: did you mean ${meant}?`}`
}

function explainPort(name: string, text: string | undefined): string {
  return `${name} takes a port from 0 to 65535, not ${text}`
}

function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}

function isValued(name: string): name is Valued {
  return VALUED.some((flag) => flag === name)
}

function isBare(name: string): name is Bare {
  return BARE.some((flag) => flag === name)
}
