import { createCapture } from '@iii/sdk/cli'
import { createBridgeCommands } from '../operator/commands.ts'
import { type OperatorHost, readOperatorHost } from '../operator/host.ts'

/** What a command wrote and ended with. */
export interface CommandRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandSetup {
  readonly env?: Readonly<Record<string, string>>
  /** What is different about the computer. @default the one that the test runs on, without networks */
  readonly host?: Partial<OperatorHost>
  /** Makes stdout a terminal of so many columns. */
  readonly columns?: number
}

/** Runs a command line in this process. */
export async function runCommand(argv: readonly string[], setup: CommandSetup = {}): Promise<CommandRun> {
  const { env = {}, host = {}, columns } = setup
  const used = { ...readOperatorHost(env), addresses: () => [], ...host }
  const commands = createBridgeCommands(used)
  const [stdout, stderr] = [createCapture(columns), createCapture()]
  const code = await commands.run({ argv, env, version: '1.2.3', streams: { stdout, stderr } })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
