import { type CommandLine, formatCommand } from '@iii/sdk/cli'
import { bridgeOptions } from '../options.ts'

/** The command that starts a bridge for HTTP alone, with what was said of it. */
export function toStartCommand(said: CommandLine): string {
  const { noStdio: _, ...table } = bridgeOptions
  return formatCommand('npx -y @iii/mcp --no-stdio', said, table)
}
