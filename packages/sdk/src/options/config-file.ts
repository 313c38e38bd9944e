import { type BigIntStats, stat, statSync } from 'node:fs'
import { readRegularFile } from './regular-file.ts'

/** What a path holds. A problem is a sentence about `the file`, without its path. */
export type FileReading = { text: string; problem?: undefined } | { problem: string } | 'missing'

const MAX_CONFIG_BYTES = 256 * 1024

/** A file that has just changed may be half written, and half a file can say something else; so it rests this long first. */
const SETTLE_MS = 100

/** Never throws: a file that cannot be read has a problem. @param refusesShared so has one that others may write */
export function readConfigFile(path: string, refusesShared = false): FileReading {
  try {
    const content = readRegularFile(path, { maxBytes: MAX_CONFIG_BYTES })
    if (content.problem !== undefined) return { problem: `the file ${content.problem}` }
    const shared = refusesShared ? explainShared(content.mode) : undefined
    return shared === undefined ? { text: content.bytes.toString('utf8') } : { problem: `the file ${shared}` }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'missing' : { problem: `the file cannot be read: ${code}` }
  }
}

const OTHERS_WRITE = 0o022

/** Goes on after `the file`. */
function explainShared(mode: number): string | undefined {
  if (process.platform === 'win32' || (mode & OTHERS_WRITE) === 0) return undefined
  return `may be written by others than its owner (mode ${mode.toString(8).padStart(4, '0')}), who could say what runs here: chmod go-w it`
}

/**
 * Calls `load` now, and again whenever the file has changed, come or gone. Does not keep the process alive.
 *
 * @returns how to stop it
 */
export function followConfigFile(path: string, everyMs: number, load: () => void): () => void {
  // Taken before the file is read: what changes from here on is seen as a change.
  let seen = markNow(path)
  load()
  let settling: NodeJS.Timeout | undefined
  let isLooking = false
  let isStopped = false

  function look(hasChanged: boolean): void {
    stat(path, { bigint: true }, (error, stats) => {
      if (isStopped) return
      const mark = toMark(error, stats)
      if (mark !== seen) {
        // One that is still being written has to rest again.
        seen = mark
        settling = setTimeout(() => look(true), SETTLE_MS).unref()
        return
      }
      isLooking = false
      if (hasChanged) load()
    })
  }

  const polling = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look(false)
  }, everyMs).unref()
  return () => {
    isStopped = true
    clearInterval(polling)
    clearTimeout(settling)
  }
}

function markNow(path: string): string {
  try {
    return toMark(null, statSync(path, { bigint: true }))
  } catch (error) {
    return toMark(error as NodeJS.ErrnoException)
  }
}

/** Differs when the file does. */
function toMark(error: NodeJS.ErrnoException | null, stats?: BigIntStats): string {
  if (stats === undefined) return error?.code ?? 'unknown'
  return [stats.mtimeNs, stats.ctimeNs, stats.size, stats.ino].join(' ')
}
