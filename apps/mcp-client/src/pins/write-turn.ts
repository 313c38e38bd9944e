import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Fault } from '@iii/protocol'

/** Writing takes milliseconds: a turn that is older was left by a process that ended in it. */
const ABANDONED_MS = 5_000
const GIVE_UP_MS = 10_000
const BETWEEN_LOOKS_MS = 15

/** Replaces the file that the turn is about. */
export type Write = (text: string) => Promise<void>

/**
 * Runs work that reads a file and replaces it, one at a time among all processes, so that none of them loses what another one wrote. The
 * file is replaced in one piece and is its owner's alone.
 *
 * @throws Fault `unavailable` when others write for ever; the system's error when the folder takes no file
 */
export async function takeWriteTurn<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  const turn = `${path}.writing`
  const mine = `${process.pid} ${randomUUID()}`
  await enter(turn, mine, path)
  try {
    return await work((text) => replace(path, text, () => isMine(turn, mine)))
  } finally {
    if (await isMine(turn, mine)) await rm(turn, { force: true })
  }
}

async function enter(turn: string, mine: string, path: string): Promise<void> {
  for (const giveUp = performance.now() + GIVE_UP_MS; performance.now() < giveUp; await pause(BETWEEN_LOOKS_MS)) {
    try {
      return await writeFile(turn, mine, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    await removeAbandoned(turn)
  }
  throw new Fault('unavailable', `Others are writing ${path} all the time; if nobody is, remove ${turn}`)
}

/** What is taken away is looked at again where nobody else can: another process may have been faster, and begun a turn of its own. */
async function removeAbandoned(turn: string): Promise<void> {
  const seen = await stat(turn).catch(() => undefined)
  if (seen === undefined || Date.now() - seen.mtimeMs <= ABANDONED_MS) return
  const aside = `${turn}-${randomUUID()}`
  await rename(turn, aside).catch(() => {})
  const taken = await stat(aside).catch(() => undefined)
  if (taken !== undefined && taken.mtimeMs !== seen.mtimeMs) await rename(aside, turn).catch(() => {})
  await rm(aside, { force: true })
}

async function isMine(turn: string, mine: string): Promise<boolean> {
  return (await readFile(turn, 'utf8').catch(() => '')) === mine
}

async function replace(path: string, text: string, isAllowed: () => Promise<boolean>): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    // Whoever was stopped for so long that the turn was taken for abandoned writes nothing.
    if (!(await isAllowed())) throw new Fault('unavailable', `Another process has written ${path} meanwhile; try again`)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
