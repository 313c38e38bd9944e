import { isAbsolute, sep } from 'node:path'

/** Says why a text is no executable. Goes on after its place. Nothing but its first word is repeated: there may be secrets among the others. */
export function explainCommand(command: string): string | undefined {
  if (command.trim() === '') return 'must not be empty'
  if (command.includes('\0')) return 'must not have a NUL character'
  if (command.startsWith('~')) return "begins with '~', which no shell expands here: write the whole path"
  if (!isShellLine(command)) return undefined
  const [first = ''] = command.trim().split(/\s/, 1)
  const isAssignment = first.includes('=')
  const program = isAssignment ? '' : ` (command: ${first})`
  const variables = isAssignment ? '; variables stand in env.set' : ''
  return `is a line for a shell, and no shell runs it: write the program alone${program} and all else, word by word, as args: […]${variables}`
}

/** Pipes, quotes and words; a path may have blanks in the names of its folders. */
function isShellLine(command: string): boolean {
  if (/[|;<>`"'\n]|&&|\$\(/.test(command)) return true
  if (!/\s/.test(command)) return false
  const name = command.split(/[/\\]/).at(-1) ?? ''
  const isPath = isAbsolute(command) || /^\.{1,2}[/\\]/.test(command)
  return !isPath || /\s/.test(name) || /\s[-/.~]/.test(command)
}

/** Whether it is looked for by its path, and not in the folders of PATH. */
export function isPath(command: string): boolean {
  return command.includes('/') || command.includes(sep)
}
