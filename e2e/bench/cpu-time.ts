import { readFileSync } from 'node:fs'

/** Linux tells processor time in these, whatever the machine. */
const TICKS_PER_SECOND = 100

/** Processor time that a process has taken, its children not counted, in milliseconds; undefined where nobody tells. */
export function readCpuMs(pid: number): number | undefined {
  try {
    // The name of the program, in parentheses, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? (ticks * 1000) / TICKS_PER_SECOND : undefined
  } catch {
    return undefined
  }
}
