import { COMMON_OPTIONS, formatHelp } from '@iii/sdk'
import { COMMANDS, type Command, FLAGS } from './commands.ts'

const { url, config, workerName, debug, version: showVersion, help } = COMMON_OPTIONS

const EXIT_CODES = [
  'Exit codes:',
  '  0  done',
  '  1  something was refused or failed; the rest was done',
  '  2  wrong usage; nothing was done',
  '  3  what was named is not there; the rest was done',
  '  4  no engine, or no registry on it that could work',
].join('\n')

/** What the help of the worker says about the commands. */
export function formatCommands(): string {
  const usages = COMMANDS.map(({ name, operands, summary }) => [`${name} ${operands}`, summary] as const)
  const width = Math.max(...usages.map(([usage]) => usage.length))
  return [
    'Commands, for a registry that runs already:',
    ...usages.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    "Each has a --help of its own. An id that begins with '-' stands behind '--'.",
    '',
    EXIT_CODES,
  ].join('\n')
}

/** The text of `iii-skills COMMAND --help`. */
export function formatCommandHelp({ name, operands, flags, summary, details }: Command, version: string): string {
  const own = Object.fromEntries(flags.map((flag) => [flag, FLAGS[flag]]))
  return formatHelp(
    {
      name: `iii-skills ${name}`,
      version,
      description: summary,
      command: `iii-skills ${name} ${operands}`,
      footnote: [...(details === '' ? [] : [wrap(details), '']), EXIT_CODES].join('\n'),
    },
    { ...own, url, config, workerName, debug, version: showVersion, help },
  )
}

const WIDTH = 100

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length + 1 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}
