import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** What a regular file holds, or why it is not read, as a sentence without its subject: `is a pipe: only a regular file is read`. */
export type FileBytes = { bytes: Buffer; mode: number; problem?: undefined } | { problem: string }

export interface FileLimits {
  maxBytes: number
  /** A symbolic link in the place of the file is an error then. @default true */
  followsLink?: boolean
}

/** Nobody is waited for at the other end of a pipe, and no terminal becomes ours; a system without these flags has none of both. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0

const CHUNK_BYTES = 64 * 1024

/**
 * Reads a file whose path somebody else has chosen, so that nothing there can hold the process up or fill its memory: no pipe, no
 * device, and no more than the limit of a file that grows or says a smaller size than it has.
 *
 * @throws what the system says, e.g. that there is no such file
 */
export function readRegularFile(path: string, { maxBytes, followsLink = true }: FileLimits): FileBytes {
  const file = openSync(path, followsLink ? FLAGS : FLAGS | NO_LINK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: `is ${nameKind(stats)}: only a regular file is read` }
    if (stats.size > maxBytes) return { problem: `has ${stats.size} bytes; at most ${maxBytes} are read` }
    const bytes = readBounded(file, maxBytes + 1)
    if (bytes.length > maxBytes) return { problem: `has more than ${maxBytes} bytes, the most that is read` }
    return { bytes, mode: stats.mode & 0o777 }
  } finally {
    closeSync(file)
  }
}

/** To the end of the file, or as far as the limit. */
function readBounded(file: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  for (let left = limit; left > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left))
    const length = readSync(file, chunk)
    if (length === 0) break
    chunks.push(chunk.subarray(0, length))
    left -= length
  }
  return Buffer.concat(chunks)
}

function nameKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  return stats.isFIFO() ? 'a pipe' : 'a device'
}
