import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { toPublicUrl } from '@iii/sdk'
import { type Computer, toEnvironment } from './computer.ts'
import { createOutput } from './output.ts'
import type { PrivateFolder } from './private-folder.ts'

/** A process that runs the code of a client, with all that it has started. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** Resolves when it is gone, and everything it started, and its folder. Says how it ended, in words. */
  readonly ended: Promise<string>
  readonly isRunning: boolean
  /** The end of what it wrote. */
  tail(): string
  /** Asks it to end, and ends it when it has not within the time given. */
  stop(graceMs: number): Promise<void>
}

export interface ProcessOptions {
  readonly computer: Computer
  readonly folder: PrivateFolder
  /** Path of what starts the program, and ends it with us. */
  readonly supervisor: string
  readonly program: string
  readonly args: readonly string[]
  /** Of the engine, which it learns; nobody learns it from what it writes. */
  readonly url: string
}

/** So long the last words of a group that is gone may take. */
const PIPES_MS = 300

/** Starts it in a process group of its own, with a supervisor that ends the group when this process ends, however that is. */
export function startProcess({ computer, folder, supervisor, program, args, url }: ProcessOptions): WorkerProcess {
  const child = spawn(computer.node, [supervisor, folder.path, program, ...args], {
    // This pipe is what the supervisor notices our end by.
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: computer.platform !== 'win32',
    env: toEnvironment(computer, { III_URL: url }),
    windowsHide: true,
  })
  const output = createOutput(
    new Map([
      [`file://${folder.path}/`, ''],
      [`${folder.path}/`, ''],
      [url, toPublicUrl(url)],
    ]),
  )
  output.listen(child.stdout)
  output.listen(child.stderr)
  child.stdin.on('error', () => undefined)
  let isRunning = true

  /** Whoever is left of the group: its id is not given to others while one is. */
  function tellGroup(signal: NodeJS.Signals): void {
    if (child.pid === undefined) return
    try {
      process.kill(computer.platform === 'win32' ? child.pid : -child.pid, signal)
    } catch {
      // Nobody is.
    }
  }

  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code, signal) => {
      tellGroup('SIGKILL')
      const status = toStatus(code, signal)
      child.on('close', () => resolve(status))
      // Somebody who left the group may hold the pipes open.
      setTimeout(() => resolve(status), PIPES_MS).unref()
    })
  }).then(async (status) => {
    isRunning = false
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    await folder.remove()
    return status
  })

  return {
    pid: child.pid,
    ended,
    get isRunning() {
      return isRunning
    },
    tail: output.tail,
    async stop(graceMs) {
      if (!isRunning) return
      tellGroup('SIGTERM')
      const overdue = setTimeout(() => tellGroup('SIGKILL'), graceMs)
      await ended
      clearTimeout(overdue)
    },
  }
}

/** The supervisor passes on a signal as a shell does: as 128 and its number. */
function toStatus(code: number | null, signal: NodeJS.Signals | null): string {
  const name = signal ?? Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
  return name === undefined ? `exit code ${code}` : `signal ${name}`
}
