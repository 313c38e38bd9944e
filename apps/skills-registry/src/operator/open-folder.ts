import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandFailure, EXIT } from '@iii/sdk/cli'
import { explainSystem } from '../skill-folder/inside.ts'

/**
 * The folder that somebody named, as it is called without symbolic links: nothing outside of it is read or written from here on.
 *
 * @throws CommandFailure when it is not there, or no folder.
 */
export async function openFolder(path: string): Promise<string> {
  try {
    const root = await realpath(resolve(path))
    if ((await stat(root)).isDirectory()) return root
  } catch (error) {
    const exitCode = (error as NodeJS.ErrnoException).code === 'ENOENT' ? EXIT.missing : EXIT.failed
    throw new CommandFailure(exitCode, `${path}: ${explainSystem(error)}`)
  }
  throw new CommandFailure(EXIT.usage, `${path} is no folder`)
}
