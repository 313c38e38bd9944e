import { resolve } from 'node:path'
import { type CommandLine, findUsageProblem, type Logger, type Settings, startSettings, toUsage } from '@iii/sdk'
import { type BridgeOptions, bridgeOptions, findConflict } from '../options.ts'

/** The settings as the bridge reads them, and what it would say of its file. */
export interface FoundSettings {
  readonly value: Readonly<BridgeOptions>
  /** Absolute path of the file that was named. */
  readonly file: string | undefined
  /** Why the bridge would answer nothing. */
  readonly locked: Settings<BridgeOptions>['locked']
  /** What it would log: a file that is missing, a key that nobody knows. */
  readonly warnings: readonly string[]
}

const rules = { options: bridgeOptions, findConflict }

/** @throws CommandFailure `usage` for flags that contradict each other, as the bridge has it. */
export function findSettings(said: CommandLine, command: string): FoundSettings {
  const problem = findUsageProblem(rules, said)
  if (problem !== undefined) throw toUsage(problem, command)
  const warnings: string[] = []
  const settings = startSettings(rules, { fixed: said.own, file: said.config }, createListener(warnings))
  settings.stop()
  const file = said.config === undefined ? undefined : resolve(said.config)
  return { value: settings.value, file, locked: settings.locked, warnings }
}

/** A log that keeps its warnings. */
function createListener(warnings: string[]): Logger {
  const ignore = () => undefined
  const listener: Logger = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (first: object | string, message?: string) => void warnings.push(message ?? String(first)),
    child: () => listener,
  }
  return listener
}
