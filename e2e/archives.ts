import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { type Exit, runToEnd } from './child.ts'

/** Worker archives as the engine treats them: unpacked somewhere, started with an environment and nothing else. */

export type ArchiveType = 'bundle' | 'binary'

/** Builds all worker archives. @param out folder for them @returns their paths as they were printed */
export async function packWorkers(out: string, flags: readonly string[] = []): Promise<string[]> {
  const entry = new URL('../packages/packaging/src/main.ts', import.meta.url)
  const { code, stdout, stderr } = await runToEnd(
    { name: 'pack:workers', entry, args: ['--out', out, ...flags] },
    90_000,
  )
  if (code !== 0) throw new Error(`pack:workers ended with ${code}:\n${stderr}`)
  return stdout.split('\n')
}

/** @param folder is made, and holds nothing else */
export async function unpackArchive(archive: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  return folder
}

export interface ArchivedWorker {
  name: string
  type: ArchiveType
  /** Where the archive was unpacked. */
  folder: string
  /** The project of the engine: where a program of the host runs. */
  project: string
  engineUrl: string
  /** Folder of the Node that is on the PATH. */
  node: string
}

/** A started archive. It is the leader of a process group of its own. */
export interface RunningArchive extends AsyncDisposable {
  readonly pid: number
  readonly said: readonly string[]
  readonly exited: Promise<Exit>
  /** CPU time that it has taken so far, in ms. Unlike the time that passed, what else the machine does hardly changes it. */
  cpuMs(): number
  signal(name: NodeJS.Signals): void
  /** Whether anything that it started is still there. */
  hasProcesses(): boolean
}

/** Starts it as the engine does: a bundle by its start script where it was unpacked, a binary by itself in the project. */
export function startArchive(worker: ArchivedWorker): RunningArchive {
  const { name, type, folder, project, engineUrl, node } = worker
  const env = {
    PATH: `${node}:/usr/local/bin:/usr/bin:/bin`,
    HOME: project,
    III_URL: engineUrl,
    III_ENGINE_URL: engineUrl,
    III_WORKER_NAME: name,
    ...(type === 'binary'
      ? { III_ENGINE_PID: '1', III_CONFIG_PATH: join(project, 'config.yaml') }
      : { III_ISOLATION: 'libkrun' }),
  }
  const command: [string, string[]] =
    type === 'bundle' ? ['/bin/sh', ['-c', readStart(folder)]] : [join(folder, name), []]
  const cwd = type === 'bundle' ? folder : project
  const child = spawn(...command, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) keep(stream, said)
  const exited = whenGone(child)
  return {
    pid: child.pid ?? 0,
    said,
    exited,
    cpuMs: () => readCpuMs(child.pid ?? 0),
    signal: (signal) => void child.kill(signal),
    hasProcesses: () => isGroupThere(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      if (isGroupThere(child.pid ?? 0)) process.kill(-(child.pid ?? 0), 'SIGKILL')
      await exited
    },
  }
}

/** What the kernel counted for it, in hundredths of a second: user and system time are the 14th and 15th field. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function readStart(folder: string): string {
  const text = readFileSync(join(folder, 'iii.worker.yaml'), 'utf8')
  const [, start = ''] = /^ {2}start: (.+)$/m.exec(text) ?? []
  return `exec ${start.replace(/^exec /, '')}`
}

function keep(stream: Readable, said: string[]): void {
  stream.setEncoding('utf8').on('data', (text: string) => void said.push(text))
}

function whenGone(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

function isGroupThere(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
