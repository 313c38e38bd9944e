import { resolve } from 'node:path'
import { toUsage } from '../commands/commands.ts'
import { createLog } from '../log.ts'
import { type CommandLine, findUsageProblem } from '../options/command-line.ts'
import { findLine, type Given, type OptionRules } from '../options/given.ts'
import { readLegible } from '../settings/config-lock.ts'
import { type Settings, startSettings } from '../settings/settings.ts'

/** The settings as a worker reads them, and what it would say of its file. */
export interface FoundSettings<T> {
  readonly value: Readonly<T>
  /** Absolute path of the file that was named. */
  readonly file: string | undefined
  /** Why the worker would answer nothing. */
  readonly locked: Settings<T>['locked']
  /** What the file says as far as it can be read, also where it cannot be used and none of it counts. */
  readonly legible: Readonly<Partial<T>>
  /** Where a part of the file stands. */
  readonly lineOf: (place: string) => number | undefined
}

/** @throws CommandFailure `usage` for flags that contradict each other, as the worker has it. */
export function findSettings<T>(rules: OptionRules<T>, said: CommandLine, command: string): FoundSettings<T> {
  const problem = findUsageProblem(rules, said)
  if (problem !== undefined) throw toUsage(problem, command)
  const log = createLog({ name: command, level: 'silent' })
  const settings = startSettings(rules, { fixed: said.own, file: said.config }, log)
  settings.stop()
  const file = said.config === undefined ? undefined : resolve(said.config)
  const given = file === undefined ? new Map<string, Given>() : readLegible(rules, file)
  const legible = Object.fromEntries([...given].map(([name, { value }]) => [name, value])) as Partial<T>
  return { value: settings.value, file, locked: settings.locked, legible, lineOf: (place) => findLine(given, place) }
}
