import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first program that is on the path, of several names by the one that stands first. */
export function findOnPath(path: string, names: readonly string[]): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

/** Whether there is a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
