import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What a system call said, in words without the path that it was about. */
export function explainSystem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return WORDS[code ?? ''] ?? code ?? message
}

/** The same of a path as it was read in a folder: of bytes that are no UTF-8 it is not the one that the system knows. */
export function explainFound(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && path.includes('\ufffd')
    ? 'has a name that is not in UTF-8: rename it'
    : explainSystem(error)
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'is a symbolic link, which is not followed',
  ENAMETOOLONG: 'the path is too long for this file system',
  ENOENT: 'is not there',
  ENOSPC: 'no space left',
  ENOTDIR: 'is in the way: it is no folder',
  EROFS: 'the file system is read-only',
}

/**
 * Whether the folder `path` below `root` is really there: no part of it leads elsewhere by a symbolic link.
 *
 * @throws what the system says, e.g. that there is no such folder.
 */
export async function isInside(root: string, path: string): Promise<boolean> {
  return (await realpath(join(root, path))) === join(root, path)
}
