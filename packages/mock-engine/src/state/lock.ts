import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { FILE_MODE, ignoreMissing, readRegularFile } from './folder.ts'

/** A folder that no other engine keeps its state in, as long as this one runs. */
export interface FolderLock {
  /** Whether it still is: the folder, or the lock in it, may be gone or another's. */
  holds(): Promise<boolean>
  release(): Promise<void>
}

/** Who holds a lock. Process ids are given out anew, so the start of the process goes with it where the system tells it. */
interface Holder {
  readonly pid: number
  readonly started: string | undefined
}

const FILE = 'engine.lock'
/** A lock is made and written in two steps: one that says nothing gets this long, in milliseconds, to be finished. */
const UNFINISHED_MS = 1_000
/** A claim lives for two steps; one that is older was left by a process that ended between them. In milliseconds. */
const ABANDONED_MS = 5_000
const BETWEEN_LOOKS_MS = 20

/**
 * Takes the lock of a folder. One whose process has ended is taken over.
 *
 * @throws an Error that names the process which has it, or says why the folder takes no file.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, FILE)
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: randomUUID() })
  const giveUp = performance.now() + UNFINISHED_MS
  while (!(await create(path, mine))) {
    const text = (await readRegularFile(path).catch(ignoreMissing)) ?? ''
    if (text === mine) break
    const holder = parseHolder(text)
    if (holder && isRunning(holder)) {
      const { pid } = holder
      throw new Error(`process ${pid} keeps its state there. If process ${pid} is no engine, remove ${path}`)
    }
    if (holder ?? performance.now() > giveUp) await takeOver(path, text, mine)
    else await pause(BETWEEN_LOOKS_MS)
  }
  const holds = async () => (await readRegularFile(path).catch(() => '')) === mine
  return {
    holds,
    async release() {
      // One that cannot be removed is taken over by whoever comes next.
      if (await holds()) await rm(path, { force: true }).catch(() => {})
    },
  }
}

/** @returns false when the file is there already. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: FILE_MODE })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Puts our lock in the place of one that nobody holds, unless somebody else was faster: only who has made the claim, of which
 * there is one at a time, may replace a lock. Whether it went well is to be read from the lock.
 */
async function takeOver(path: string, stale: string, mine: string): Promise<void> {
  const claim = `${path}.claim`
  if (await create(claim, mine)) {
    if ((await readRegularFile(path).catch(ignoreMissing)) === stale) await rename(claim, path).catch(ignoreMissing)
    else await rm(claim, { force: true })
    return
  }
  const there = await stat(claim).catch(ignoreMissing)
  if (there && Date.now() - there.mtimeMs > ABANDONED_MS) await rm(claim, { force: true })
  else await pause(BETWEEN_LOOKS_MS)
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as { pid?: unknown; started?: unknown }
    if (!Number.isSafeInteger(pid)) return undefined
    return { pid: Number(pid), started: typeof started === 'string' ? started : undefined }
  } catch {
    return undefined
  }
}

function isRunning({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is one that we may not signal.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = startOf(pid)
  return started === undefined || now === undefined || now === started
}

/** When a process started, in the system's own clock; `ended` for one that only waits to be collected. Linux alone tells it. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields 3 (state) and 22 (start); field 2, the name, may hold anything but ends with the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'ended' : fields[19]
  } catch {
    return undefined
  }
}
