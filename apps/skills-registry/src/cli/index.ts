export { formatCommands } from './help.ts'
export { isCommand, runCommand } from './run.ts'
