import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { UsageError } from '../usage.ts'

/** The first program that is on the path, of several names by the one that stands first. */
export function findOnPath(path: string, names: readonly string[]): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

export const PROGRAM_VARIABLE = 'III_TEST_ENGINE_PROGRAM'

/** The program of an engine that a variable names, by its absolute path. @throws UsageError for one that cannot be run */
export function readEngineProgram({ [PROGRAM_VARIABLE]: program }: NodeJS.ProcessEnv): string | undefined {
  if (program === undefined || program === '') return undefined
  if (isProgram(program)) return resolve(program)
  throw new UsageError(`${ENGINE_PROGRAM_HELP}, not ${program}`)
}

export const ENGINE_PROGRAM_HELP = `${PROGRAM_VARIABLE} has to name the program of the engine, such as /usr/local/bin/iii`

/** Whether there is a file that may be run. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
