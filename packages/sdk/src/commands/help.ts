import { COMMON_OPTIONS } from '../run/command-line.ts'
import { formatHelp } from '../run/help.ts'
import type { AnyOptionTable } from '../run/option-table.ts'
import type { Command, CommandSet } from './command.ts'
import { wrap } from './wrap.ts'

const { url, config, namespace, debug, version: showVersion, help } = COMMON_OPTIONS

const WIDTH = 100

/** What the help of the worker says about the commands. */
export function formatCommandList<Flags, Extra>(set: CommandSet<Flags, Extra>): string {
  const usages = set.commands.map(({ name, operands, summary }) => [`${name} ${operands}`, summary] as const)
  const width = Math.max(...usages.map(([usage]) => usage.length))
  return [
    set.heading,
    ...usages.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    set.remark,
    '',
    formatExitCodes(set),
  ].join('\n')
}

/** The text of `iii-skills COMMAND --help`. */
export function formatCommandHelp<Flags, Extra>(
  set: CommandSet<Flags, Extra>,
  { name, operands, flags, summary, details }: Command<Flags, Extra>,
  version: string,
): string {
  const table = set.flags as unknown as AnyOptionTable
  const own = Object.fromEntries(flags.flatMap((flag) => (table[flag] === undefined ? [] : [[flag, table[flag]]])))
  return formatHelp(
    {
      name: `${set.program} ${name}`,
      version,
      description: summary,
      command: `${set.program} ${name} ${operands}`.trimEnd(),
      footnote: [...(details === '' ? [] : [formatDetails(details), '']), formatExitCodes(set)].join('\n'),
    },
    { ...own, url, config, namespace, debug, version: showVersion, help },
  )
}

function formatExitCodes<Flags, Extra>({ exitCodes }: CommandSet<Flags, Extra>): string {
  return ['Exit codes:', ...Object.entries(exitCodes).map(([code, text]) => `  ${code}  ${text}`)].join('\n')
}

function formatDetails(details: string): string {
  return details
    .split('\n')
    .flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, WIDTH)))
    .join('\n')
}
