import { explainNoFolder } from '../host.ts'

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it is not there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the path is too long for this file system',
  ENOSPC: 'there is no space left',
  EROFS: 'it lies on something that is read only',
}

/** What a failed system call said, in words and without the path that it was about; undefined for anything else. */
export function describeSystemError(error: unknown): string | undefined {
  return WORDS[(error as NodeJS.ErrnoException | undefined)?.code ?? '']
}

/**
 * What to say of anything that a program has thrown.
 *
 * @example toReason(error) // '/home/ada/tea: it is a folder'
 */
export function toReason(error: unknown): string {
  const noFolder = explainNoFolder(error)
  if (noFolder !== undefined) return noFolder
  const { message = String(error), path, dest = path } = error as NodeJS.ErrnoException & { dest?: string }
  const words = describeSystemError(error)
  return words === undefined || dest === undefined ? message : `${dest}: ${words}`
}
