import { rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Ending, readReport } from './exit-report.ts'
import { hasLiving } from './living.ts'
import { type ProgramOptions, startSupervisor } from './supervisor.ts'

/** A program with all that it starts, as far as that stays in its group: they run together and end together. */
export interface ProcessGroup {
  /** Of the supervisor that leads the group; undefined where none could be started. */
  readonly pid: number | undefined
  /** Of the program itself, as soon as its supervisor has told it; never on Windows. */
  readonly programPid: number | undefined
  /** The program's own, with nobody in between. What nobody has read a moment after its end is lost. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** False as soon as its leader has ended, by itself or because it was told to; `ended` comes later. */
  readonly isRunning: boolean
  /** Resolves when nobody of the group is left. Never rejects. */
  readonly ended: Promise<Ending>
  /** Sends a signal to everybody in it; does nothing when it has ended. */
  tell(signal: NodeJS.Signals): void
  /** Ends it, the gentle way first, and resolves when it has ended. A second call with less patience ends it sooner. */
  stop(options: StopOptions): Promise<void>
}

export interface StopOptions {
  /** So long it has after the end of its input, unless that has come already, and again after SIGTERM; then comes SIGKILL. */
  readonly graceMs: number
}

/** So long what was written last may take, for somebody who left the group may hold the pipes open. */
const PIPES_MS = 300
/** So long somebody may take to end whom nothing can keep from it, but for a device that does not answer. */
const GONE_MS = 2_000
const LOOK_EVERY_MS = 5

/**
 * Starts a program in a process group of its own, with a supervisor that ends the whole group when this process ends, however that is.
 * On Windows, which has no such groups, only the program itself is sure to end.
 *
 * @throws where this process cannot start any other; whatever else keeps the program from starting is told by `ended`
 */
export function startProcessGroup(options: ProgramOptions): ProcessGroup {
  const { leader, stdin, stdout, stderr, owner } = startSupervisor(options)
  const report = readReport(leader, owner)
  let hasEnded = false

  /** That of the supervisor, and one that the program leads itself, as `timeout` does. */
  const groups = () => [report.program, leader.pid].filter((pid) => pid !== undefined)

  /** The supervisor has done so already, unless it was killed itself. */
  async function endAll(): Promise<void> {
    await Promise.all(groups().map(endGroup))
  }

  const closed = new Promise((resolve) => void leader.once('close', resolve))
  const ended = report.ending.then(async (ending) => {
    await endAll()
    await Promise.race([closed, pause(PIPES_MS, undefined, { ref: false })])
    for (const pipe of [stdin, stdout, stderr, owner]) pipe.destroy()
    // Again, for whoever was left may have written meanwhile.
    if (options.removes !== undefined) await remove(options.removes)
    hasEnded = true
    return ending
  })

  const isLed = () => leader.exitCode === null && leader.signalCode === null

  function tell(signal: NodeJS.Signals): void {
    if (isLed()) for (const group of groups()) reach(group, signal)
  }

  return {
    pid: leader.pid,
    get programPid() {
      return report.program
    },
    stdin,
    stdout,
    stderr,
    get isRunning() {
      return isLed() && !hasEnded
    },
    ended,
    tell,
    async stop({ graceMs }) {
      const steps = [() => tell('SIGTERM'), () => tell('SIGKILL')]
      if (!stdin.writableEnded) steps.unshift(() => void stdin.end())
      const timers = steps.map((step, nth) => setTimeout(step, nth * graceMs))
      await ended
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** @returns whether somebody was there. The number of a group is nobody else's while one of it is. */
function reach(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(process.platform === 'win32' ? group : -group, signal)
  } catch {
    return false
  }
}

async function endGroup(group: number): Promise<void> {
  const since = performance.now()
  while (reach(group, 'SIGKILL') && (await hasLiving(group))) {
    if (performance.now() - since > GONE_MS) return
    await pause(LOOK_EVERY_MS)
  }
}

async function remove(folder: string): Promise<void> {
  // What the program has made of it must not keep anybody waiting.
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
}
