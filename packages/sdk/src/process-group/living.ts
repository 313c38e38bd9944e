import { readdir, readFile } from 'node:fs/promises'

/**
 * Whether anybody of a group of processes, one of which can be sent signals, still lives. One that has ended and that nobody has collected
 * can, and under an init that collects nobody it stays so for ever.
 */
export async function hasLiving(group: number): Promise<boolean> {
  // Of other systems only what signals say is known.
  if (process.platform !== 'linux') return true
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(pid) && (await livesIn(pid, group))) return true
  }
  return false
}

/** What stands behind the name, which may have anything in it: its state, its parent, its group. */
const STATUS = /^\d+ \(.*\) (\S) \d+ (\d+)/s

async function livesIn(pid: string, group: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [, state = 'Z', itsGroup] = STATUS.exec(text) ?? []
  return !['Z', 'X'].includes(state) && Number(itsGroup) === group
}
