import { Fault } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { createBatches } from './batches.ts'
import { formatLockFile, markLockFile, type Pinned, readLockFile, readLockText } from './lock-file.ts'
import type { ServerPins } from './pin.ts'
import { takeWriteTurn } from './write-turn.ts'

/** The pins as the file was when it could be used last. A file that is gone or broken takes back nothing that was approved. */
export interface KeptPins {
  /** Reads the file, if it is another one than before. Never throws. */
  look(): void
  /** Goes up when somebody else has changed what the file says, or it can be used no more, or again. */
  readonly changes: number
  /** Why the file cannot be used, going on after `the file`. */
  readonly problem: string | undefined
  of(server: string): ServerPins | undefined
  /**
   * Replaces the pins of a server, by those that the file has then.
   *
   * @param change gives undefined where nothing is to be written
   * @throws Fault for a file that cannot be used; the system's error for one that cannot be written
   */
  update(server: string, change: (pins: ServerPins | undefined) => ServerPins | undefined): Promise<void>
}

export interface KeptPinsOptions {
  /** Absolute. */
  readonly path: string
  readonly log: Logger
  readonly platform: NodeJS.Platform
}

interface Change {
  readonly server: string
  readonly change: (pins: ServerPins | undefined) => ServerPins | undefined
}

export function createKeptPins({ path, log, platform }: KeptPinsOptions): KeptPins {
  let pinned: Pinned = new Map()
  let text: string | undefined
  let mark: string | undefined
  let problem: string | undefined
  let changes = 0

  function take(found: string): string | undefined {
    const reading = readLockFile(found)
    if ('problem' in reading) return reading.problem
    pinned = reading.pinned
    return undefined
  }

  function look(): void {
    // Before it is read: what changes from here on is seen as a change.
    const next = markLockFile(path)
    // What kept it from being read may have gone without a trace in the file.
    if (next === mark && problem === undefined) return
    mark = next
    const found = readLockText(path, platform)
    if (found === 'missing') {
      report(undefined)
    } else if ('problem' in found) {
      report(found.problem)
      text = undefined
    } else if (found.text !== text) {
      text = found.text
      changes += 1
      report(take(text))
    }
  }

  function report(found: string | undefined): void {
    if (found !== undefined && found !== problem) {
      log.warn({ file: path }, `the file of approved tools ${found}; until then nothing new is approved`)
    }
    if (found !== problem) changes += 1
    problem = found
  }

  function write(batch: readonly Change[]): Promise<void> {
    return takeWriteTurn(path, async (replace) => {
      look()
      if (problem !== undefined) throw new Fault('conflict', `The file ${path} ${problem}`)
      const next = new Map(pinned)
      const changed = batch.filter(({ server, change }) => {
        const pins = change(next.get(server))
        if (pins !== undefined) next.set(server, pins)
        return pins !== undefined
      })
      if (changed.length === 0) return
      const written = formatLockFile(next)
      if (written === undefined)
        throw new Fault('too_large', `${path} would have more than 16 MiB: remove servers from it`)
      await replace(written)
      pinned = next
      text = written
    })
  }

  const inBatches = createBatches(write)
  return {
    look,
    get changes() {
      return changes
    },
    get problem() {
      return problem
    },
    of: (server) => pinned.get(server),
    // The whole file is written each time: servers that start together are written together.
    update: (server, change) => inBatches({ server, change }),
  }
}
