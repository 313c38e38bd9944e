import type { CommandLine } from '../options/command-line.ts'
import type { OptionTable } from '../options/option-table.ts'
import type { Paint } from '../terminal/paint.ts'
import type { Screen, Streams } from '../terminal/screen.ts'
import type { ExitCode } from './exit-code.ts'

/** What a command line is run with. */
export interface Invocation {
  /** Without node and script. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  version: string
  streams: Streams
}

/** All that a command works with, beside what its program adds. */
export interface Session<Flags> {
  /** The words after its name; as many as it takes. */
  operands: readonly string[]
  /** Each as it was given, else its default. */
  flags: Readonly<Flags>
  /** Engine, configuration file, and which flags were given. */
  said: CommandLine
  /** Of the program. */
  version: string
  screen: Screen
}

/** The work of a command. @throws CommandFailure, or what an engine or worker said. */
export type Work<Flags, Extra = unknown> = (session: Session<Flags> & Extra) => Promise<ExitCode>

/** One thing that an operator can do. */
export interface Command<Flags, Extra = unknown> {
  /** What is typed: `list`, `prompts remove`. */
  name: string
  /** As it stands in the help: `ID…`. */
  operands: string
  least: number
  most: number
  flags: readonly (keyof Flags & string)[]
  /** One sentence. */
  summary: string
  /** What else is good to know, in paragraphs; a line that begins with a space stays as it is. */
  details: string
  /** What is typed behind the name of the program, and what that does: three. */
  examples: readonly (readonly [line: string, what: string])[]
  work: Work<Flags, Extra>
}

/** What the program adds to a session, and how it is taken down. */
export interface Opened<Extra> {
  extra: Extra
  close(): Promise<void> | undefined
}

/** The commands that a program has beside its worker. */
export interface CommandSet<Flags, Extra = unknown> {
  /** What is typed before them: `iii-skills`. */
  program: string
  /** Stands above them in the help of the worker. */
  heading: string
  /** Stands below them. */
  remark: string
  /** Everything that any of them can be told. In `--tier doctor`, doctor is no command where `--tier` is among these. */
  flags: OptionTable<Flags>
  /** Those of them that the worker has too: the help of a command only names them. */
  workerFlags?: readonly (keyof Flags & string)[]
  commands: readonly Command<Flags, Extra>[]
  /** What the exit codes mean here, by code. */
  exitCodes: Readonly<Partial<Record<ExitCode, string>>>
  /** @param name of the command, as the engine is told: `iii-skills:prompts-list` */
  open(said: CommandLine, name: string): Opened<Extra>
}

/** A set of commands, to be run. */
export interface Commands {
  /** What is typed for each: `list`, `prompts remove`. */
  readonly names: readonly string[]
  /** Whether a command line is for a command rather than the worker: it begins with a word, or has the name of a command among its flags. */
  isCommand(argv: readonly string[]): boolean
  /** Runs a command and says how it went. Never rejects for what an operator can do wrong. */
  run(invocation: Invocation): Promise<ExitCode>
  /** What the help of the worker says about them. */
  formatCommands(paint?: Paint): string
}
