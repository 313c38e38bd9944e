import { readLockFile, readLockText } from '../pins/lock-file.ts'
import { judgeByPins } from '../pins/pin.ts'
import type { Pins } from '../pins/pins.ts'

/** Judges tools as the worker would, and writes nothing: looking at a server makes no baseline of it. @param path of the lock file */
export function createPinReader(path: string, platform: NodeJS.Platform): Pick<Pins, 'judge'> {
  const found = readLockText(path, platform)
  const reading =
    found === 'missing' ? { pinned: new Map<string, never>() } : 'text' in found ? readLockFile(found.text) : found
  const pinned = 'pinned' in reading ? reading.pinned : undefined
  return {
    async judge({ name, commandHash, accepts = false }, tools) {
      const pins = pinned?.get(name)
      // The first list of a server is its baseline; in a file that cannot be read nothing is approved.
      const isFirst = pinned !== undefined && pins === undefined
      return accepts || isFirst ? { approved: tools, pending: [] } : judgeByPins(tools, pins, commandHash)
    },
  }
}
