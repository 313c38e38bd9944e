import { COMMON_OPTIONS } from '../options/command-line.ts'
import { formatRows, HELP_WIDTH, toOptionRow } from '../options/help.ts'
import { type AnyOptionTable, flagsOf } from '../options/option-table.ts'
import { type Paint, PLAIN } from '../terminal/paint.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Command, CommandSet } from './command.ts'

const { url, config, namespace, debug, version, help } = COMMON_OPTIONS

/** What the help of the worker says about the commands. */
export function formatCommandList<Flags, Extra>(set: CommandSet<Flags, Extra>, paint: Paint = PLAIN): string {
  return [
    paint('bold', set.heading),
    ...formatCommandRows(set.commands),
    '',
    ...wrap(set.remark, HELP_WIDTH),
    '',
    ...formatExitCodes(set, paint),
  ].join('\n')
}

/** The text of `iii-skills COMMAND --help`: what it does, its own flags, three examples; what the worker can be told stands there. */
export function formatCommandHelp<Flags, Extra>(
  set: CommandSet<Flags, Extra>,
  command: Command<Flags, Extra>,
  paint: Paint = PLAIN,
): string {
  const { name, operands, summary, details, examples } = command
  const usage = `${set.program} ${name} ${operands}`.trimEnd()
  const sections = [
    [...wrap(summary, HELP_WIDTH), ...(details === '' ? [] : ['', ...formatDetails(details)])],
    [`${paint('bold', 'Usage:')} ${usage} [options]`],
    ...formatOwnFlags(set, command, paint),
    [
      paint('bold', 'Common options:'),
      ...formatRows(Object.values({ url, config, namespace, debug, version, help }).map(toOptionRow)),
    ],
    [paint('bold', 'Examples:'), ...examples.flatMap(([line, what]) => formatExample(set.program, line, what, paint))],
    formatExitCodes(set, paint),
  ]
  return sections.map((lines) => lines.join('\n')).join('\n\n')
}

/** The text of `iii-skills prompts --help`: the commands that begin so. */
export function formatGroupHelp<Flags, Extra>(
  set: CommandSet<Flags, Extra>,
  group: string,
  paint: Paint = PLAIN,
): string {
  const commands = set.commands.filter(({ name }) => name.startsWith(`${group} `))
  return [
    `${paint('bold', 'Usage:')} ${set.program} ${group} COMMAND [options]`,
    [paint('bold', 'Commands:'), ...formatCommandRows(commands)].join('\n'),
    wrap(`Each has a --help of its own: ${set.program} ${commands[0]?.name} --help.`, HELP_WIDTH).join('\n'),
    formatExitCodes(set, paint).join('\n'),
  ].join('\n\n')
}

function formatCommandRows(commands: readonly Pick<Command<unknown>, 'name' | 'operands' | 'summary'>[]): string[] {
  return formatRows(commands.map(({ name, operands, summary }) => [`${name} ${operands}`.trimEnd(), summary]))
}

function formatOwnFlags<Flags, Extra>(
  { program, flags: all, workerFlags = [] }: CommandSet<Flags, Extra>,
  { flags }: Command<Flags, Extra>,
  paint: Paint,
): string[][] {
  const table = all as unknown as AnyOptionTable
  const find = (names: readonly string[]) => names.flatMap((name) => table[name] ?? [])
  const isOfWorker = (flag: string) => workerFlags.some((name) => name === flag)
  const own = find(flags.filter((flag) => !isOfWorker(flag)))
  const shared = find(flags.filter(isOfWorker)).flatMap((spec) => flagsOf(spec)[0] ?? [])
  const reference = `${shared.join(', ')}: what each of them does says '${program} --help'.`
  return [
    ...(own.length === 0 ? [] : [[paint('bold', 'Options:'), ...formatRows(own.map(toOptionRow))]]),
    ...(shared.length === 0
      ? []
      : [[paint('bold', `Options of ${program}:`), ...wrap(reference, HELP_WIDTH - 2).map((line) => `  ${line}`)]]),
  ]
}

function formatExample(program: string, line: string, what: string, paint: Paint): string[] {
  return [paint('dim', `  # ${what}`), `  $ ${program} ${line}`]
}

function formatExitCodes<Flags, Extra>({ exitCodes }: CommandSet<Flags, Extra>, paint: Paint): string[] {
  return [paint('bold', 'Exit codes:'), ...formatRows(Object.entries(exitCodes))]
}

function formatDetails(details: string): string[] {
  return details.split('\n').flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, HELP_WIDTH)))
}
