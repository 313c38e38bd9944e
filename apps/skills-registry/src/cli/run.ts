import { toFault } from '@iii/protocol'
import { COMMON_OPTIONS, type CommandLine, findNearest, readCommandLine } from '@iii/sdk'
import { COMMANDS, type Command, FLAGS } from './commands.ts'
import { type Connection, connect } from './connect.ts'
import { CommandFailure, EXIT, type ExitCode } from './exit-code.ts'
import { formatCommandHelp } from './help.ts'
import { createScreen, type Screen, type Streams } from './screen.ts'
import type { Flags } from './session.ts'

/** What a command line for the registry is run with. */
export interface Invocation {
  /** Without node and script. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  version: string
  streams: Streams
}

/**
 * Whether a command line is for a command rather than the worker: it begins with a word, or has the name of a command among its
 * flags.
 */
export function isCommand(argv: readonly string[]): boolean {
  const [first] = argv
  if (first !== undefined && !first.startsWith('-')) return true
  const isValue = (index: number) => TAKING_VALUES.includes(argv[index - 1] ?? '')
  return argv.some((word, index) => FIRST_WORDS.includes(word) && !isValue(index))
}

const FIRST_WORDS = COMMANDS.map(({ name }) => name.split(' ', 1)[0] ?? '')
const TAKING_VALUES: readonly string[] = [...COMMON_OPTIONS.url.flag, COMMON_OPTIONS.config.flag]

/** Runs a command against a registry and says how it went. Never rejects for what an operator can do wrong. */
export async function runCommand({ argv, env, version, streams }: Invocation): Promise<ExitCode> {
  const screen = createScreen(streams)
  try {
    const words: string[] = []
    const said = readCommandLine(argv, env, FLAGS, words)
    if ('problem' in said) throw toUsage(said.problem, 'iii-skills')
    const command = findCommand(words)
    const operands = words.slice(command.name.split(' ').length)
    if (said.print === 'help') screen.print(`${formatCommandHelp(command, version)}\n`)
    else if (said.print === 'version') screen.print(`${version}\n`)
    else return await work(command, operands, said, screen)
    return EXIT.done
  } catch (error) {
    screen.tell(`iii-skills: ${toFault(error).message}`)
    return error instanceof CommandFailure ? error.exitCode : EXIT.failed
  }
}

async function work(command: Command, operands: string[], said: CommandLine, screen: Screen): Promise<ExitCode> {
  checkUsage(command, operands, said)
  let connection: Connection | undefined
  try {
    return await command.work({
      operands,
      flags: toFlags(said),
      screen,
      async connect() {
        connection = await connect(said)
        return connection.remote
      },
    })
  } finally {
    await connection?.close()
  }
}

function findCommand(words: readonly string[]): Command {
  const fits = ({ name }: Command) => name === words.slice(0, name.split(' ').length).join(' ')
  const command = COMMANDS.find(fits)
  if (command !== undefined) return command
  const [first = '', second] = words
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  const isGroup = below.length > 0
  if (isGroup && second === undefined) {
    throw toUsage(`${first} needs a command: ${below.map(({ name }) => name).join(' or ')}`, 'iii-skills')
  }
  const typed = isGroup ? `${first} ${second}` : first
  const nearest = findNearest(typed, isGroup ? below.map(({ name }) => name) : FIRST_WORDS)
  throw toUsage(`unknown command ${typed}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`, 'iii-skills')
}

/** @throws CommandFailure for words and flags that are right in themselves and wrong for this command. */
function checkUsage(
  { name, operands: expected, least, most, flags }: Command,
  operands: readonly string[],
  said: CommandLine,
) {
  const command = `iii-skills ${name}`
  if (operands.length < least) throw toUsage(`${name} needs ${expected}`, command)
  const extra = operands[most]
  if (extra !== undefined) throw toUsage(`${name} takes ${expected} and no more: '${extra}' is too much`, command)
  if (operands.includes('')) throw toUsage(`${name} ${expected}: a word is empty`, command)
  if (said.print === 'manifest') throw toUsage('--manifest goes without a command', command)
  for (const [option, given] of said.own) {
    if (!flags.some((flag) => flag === option)) throw toUsage(`${name} knows no ${given.name}`, command)
  }
}

function toFlags({ own }: CommandLine): Flags {
  const isOn = (flag: keyof Flags) => own.get(flag)?.value === true
  return { json: isOn('json'), dryRun: isOn('dryRun'), force: isOn('force'), prune: isOn('prune') }
}

function toUsage(problem: string, command: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `${problem}\nTry '${command} --help'.`)
}
