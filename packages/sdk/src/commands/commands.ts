import { toFault } from '@iii/protocol'
import { explainNoFolder } from '../host.ts'
import { COMMON_OPTIONS, type CommandLine, readCommandLine } from '../options/command-line.ts'
import { toShellWord } from '../options/flag-words.ts'
import { combineOptions } from '../options/given.ts'
import { type AnyOptionTable, flagsOf, isSwitch } from '../options/option-table.ts'
import { findNearest } from '../suggestions/nearest.ts'
import { createScreen, type Screen } from '../terminal/screen.ts'
import type { Command, CommandSet, Commands, Invocation, Session } from './command.ts'
import { CommandFailure, EXIT, type ExitCode } from './exit-code.ts'
import { formatCommandHelp, formatCommandList, formatGroupHelp } from './help.ts'
import { findSynonym } from './synonym.ts'

/** Makes commands for operators beside a worker: `iii-skills list` where `iii-skills` alone is the worker. */
export function createCommands<Flags, Extra>(set: CommandSet<Flags, Extra>): Commands {
  const firstWords = set.commands.map(({ name }) => toFirstWord(name))
  const takingValues = [...Object.values(COMMON_OPTIONS), ...Object.values(set.flags as unknown as AnyOptionTable)]
    .filter((spec) => !isSwitch(spec))
    .flatMap(flagsOf)

  async function run({ argv, env, version }: Invocation, screen: Screen): Promise<ExitCode> {
    const words: string[] = []
    const form = { worker: toWorkerName(set.program), operands: words }
    const said = readCommandLine(argv, env, set.flags as unknown as AnyOptionTable, form)
    if ('problem' in said) throw toUsage(said.problem, nameCommand(set, words))
    const group = said.print === 'help' ? findGroup(set, words) : undefined
    if (group !== undefined) {
      screen.print(`${formatGroupHelp(set, group, screen.paint)}\n`)
      return EXIT.done
    }
    const command = findCommand(set, words)
    const operands = words.slice(command.name.split(' ').length)
    if (said.print === 'help') screen.print(`${formatCommandHelp(set, command, screen.paint)}\n`)
    else if (said.print === 'version') screen.print(`${version}\n`)
    else return await work(set, command, { operands, said, screen, version })
    return EXIT.done
  }

  return {
    names: set.commands.map(({ name }) => name),
    isCommand(argv) {
      const [first] = argv
      if (first !== undefined && !first.startsWith('-')) return true
      const isValue = (index: number) => takingValues.includes(argv[index - 1] ?? '')
      return argv.some((word, index) => firstWords.includes(word) && !isValue(index))
    },
    async run(invocation) {
      const screen = createScreen(invocation.streams, invocation.env)
      try {
        return await run(invocation, screen)
      } catch (error) {
        return tellFailure(error, set.program, screen, asksForJson(invocation.argv))
      }
    },
    formatCommands: (paint) => formatCommandList(set, paint),
  }
}

/** Whoever asked for JSON gets it on stdout whatever went wrong, and the text on stderr all the same. */
function tellFailure(error: unknown, program: string, screen: Screen, isJson: boolean): ExitCode {
  const message = explainNoFolder(error) ?? toFault(error).message
  const { exitCode, facts } = error instanceof CommandFailure ? error : { exitCode: EXIT.failed, facts: {} }
  if (isJson) screen.printJson({ error: message, exit_code: exitCode, ...facts })
  screen.tell(`${program}: ${message}`)
  return exitCode
}

/** Also of a command line that could not be read. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some((word) => /^--json(?:=true)?$/.test(word))
}

async function work<Flags, Extra>(
  set: CommandSet<Flags, Extra>,
  command: Command<Flags, Extra>,
  typed: Omit<Session<Flags>, 'flags'>,
): Promise<ExitCode> {
  const { operands, said } = typed
  checkUsage(set.program, command, operands, said)
  const flags = combineOptions({ options: set.flags }, said.own).value
  const { extra, close } = set.open(said, `${set.program}:${command.name.replaceAll(' ', '-')}`)
  try {
    return await command.work({ ...typed, flags, ...extra })
  } finally {
    await close()
  }
}

function findCommand<Flags, Extra>(
  { program, commands }: CommandSet<Flags, Extra>,
  words: readonly string[],
): Command<Flags, Extra> {
  const command = matchCommand(commands, words)
  if (command !== undefined) return command
  const [first = '', second] = words
  const below = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  const isGroup = below.length > 0
  if (isGroup && second === undefined) throw toUsage(`${first} needs a command: ${below.join(' or ')}`, program)
  const typed = (isGroup ? words.slice(0, 2) : [first]).map(toShellWord).join(' ')
  const names = isGroup ? below : [...new Set(commands.map(({ name }) => toFirstWord(name)))]
  const meant = findMeant(isGroup ? (second ?? '') : first, names.map(toLastWord))
  const hint =
    meant === undefined ? `there are ${names.join(', ')}` : `did you mean ${isGroup ? `${first} ` : ''}${meant}?`
  throw toUsage(`unknown command ${typed}; ${hint}`, program)
}

/** The word that several commands begin with, where it stands alone. */
function findGroup<Flags, Extra>({ commands }: CommandSet<Flags, Extra>, words: readonly string[]): string | undefined {
  const [first, second] = words
  return second === undefined && commands.some(({ name }) => name.startsWith(`${first} `)) ? first : undefined
}

/** A word that is none of ours, though people try it: as another program has it, or with a slip. */
function findMeant(word: string, names: readonly string[]): string | undefined {
  return word === 'help' ? '--help' : (findSynonym(word, names) ?? findNearest(word, names))
}

function matchCommand<Flags, Extra>(
  commands: readonly Command<Flags, Extra>[],
  words: readonly string[],
): Command<Flags, Extra> | undefined {
  return commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

/** What to ask for help when a flag is wrong: the command, where it was typed before that, else the program. */
function nameCommand<Flags, Extra>({ program, commands }: CommandSet<Flags, Extra>, words: readonly string[]): string {
  const command = matchCommand(commands, words)
  return command === undefined ? program : `${program} ${command.name}`
}

/** @throws CommandFailure for words and flags that are right in themselves and wrong for this command. */
function checkUsage<Flags, Extra>(
  program: string,
  { name, operands: expected, least, most, flags }: Command<Flags, Extra>,
  operands: readonly string[],
  said: CommandLine,
): void {
  const command = `${program} ${name}`
  if (operands.length < least) throw toUsage(`${name} needs ${expected}`, command)
  const extra = operands[most]
  if (extra !== undefined) {
    const takes = most === 0 ? 'nothing behind it' : `${expected} and no more`
    throw toUsage(`${name} takes ${takes}: '${extra}' is too much`, command)
  }
  if (operands.includes('')) throw toUsage(`${name} ${expected}: a word is empty`, command)
  if (said.workerFlag !== undefined) throw toUsage(`${said.workerFlag} goes without a command`, command)
  for (const [option, given] of said.own) {
    // What the environment says is for the worker; a flag was typed for this command.
    if (given.from === 'flag' && !flags.some((flag) => flag === option)) {
      throw toUsage(`${name} knows no ${given.name}`, command)
    }
  }
}

/** A program is called as its worker, with `iii-` before that. */
function toWorkerName(program: string): string {
  return program.replace(/^iii-/, '')
}

function toLastWord(name: string): string {
  return name.split(' ').at(-1) ?? ''
}

function toFirstWord(name: string): string {
  return name.split(' ', 1)[0] ?? ''
}

/** A wrong command line. @param command whose help says what is right */
export function toUsage(problem: string, command: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `${problem}\nTry '${command} --help'.`)
}
