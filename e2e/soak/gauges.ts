import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Worker } from '@iii/sdk'

/** What is seen of one process at one time. */
export interface ProcessSample {
  readonly name: string
  readonly residentMiB: number
  /** That it has logged so far. */
  readonly lines: number
}

/** What is seen of everybody at one time. */
export interface GaugeSample {
  /** As the engine lists its workers. */
  readonly workers: number
  /** Open to the port of the engine; undefined where the system does not tell. */
  readonly sockets: number | undefined
  readonly processes: readonly ProcessSample[]
}

const KIB_PER_MIB = 1024
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const ESTABLISHED = '01'

export async function countWorkers(control: Worker): Promise<number> {
  const { workers } = await control.trigger<{ workers: unknown[] }>({ function_id: 'engine::workers::list' })
  return workers.length
}

/** So many connections a port of this machine has accepted. */
export function countSockets(port: number): number | undefined {
  const tables = TABLES.filter(existsSync)
  if (tables.length === 0) return undefined
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = tables.flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1))
  return rows.filter((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/)
    return local.endsWith(suffix) && state === ESTABLISHED
  }).length
}

export function readResidentMiB(pid: number): number {
  const file = `/proc/${pid}/status`
  const [, kib] = existsSync(file) ? (/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) ?? []) : []
  return Number(kib ?? execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / KIB_PER_MIB
}
