import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { BUILT_PROGRAMS, toNodeArgs } from './built.ts'
import { until } from './until.ts'

/** Lines that are kept of what a process said. */
const KEPT_LINES = 5000

const LIFELINE = new URL('./lifeline.ts', import.meta.url)

/** How the sources of this repository run, by their endings: without a build and no longer than their parent lives. */
const SOURCE_ARGS: Readonly<Record<string, (entry: URL, fromSource?: boolean) => string[]>> = {
  '.ts': (entry, fromSource) => toNodeArgs(entry, { preload: LIFELINE, fromSource }),
  '.py': (entry) => [fileURLToPath(new URL('./python/lifeline.py', import.meta.url)), fileURLToPath(entry)],
}

export interface ChildOptions {
  /** What to call it in messages. */
  name: string
  /** A TypeScript source of this repository, as `built.ts` says; or a JavaScript file, run as it is; or a Python file. */
  entry: URL
  /** Whether it and all that it starts do without what the test run has made of the sources. */
  fromSource?: boolean
  /** The program that runs the entry. @default this Node */
  interpreter?: string
  args?: readonly string[]
  /** Set on top of the environment of this process, of which no `III_*` variable is passed on. */
  env?: Record<string, string>
  cwd?: string
  onLine?: (line: string, from: 'stdout' | 'stderr') => void
  /** A file that gets what it writes to stderr, so that this process does not read it. */
  stderrFile?: string
  /** Hears what it writes to stdout, byte for byte. */
  onBytes?: (bytes: Buffer) => void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A running process with what it said. */
export interface Child extends AsyncDisposable {
  readonly name: string
  readonly pid: number
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Resolves when the process is gone and everything it wrote was read. Never rejects. */
  readonly exited: Promise<Exit>
  readonly running: boolean
  signal(name: NodeJS.Signals): void
  /** Asks it to stop and, after `deadlineMs`, ends it. */
  stop(deadlineMs?: number): Promise<Exit>
  /**
   * The first line on stdout or stderr that matches.
   *
   * @param what is waited for, as it reads in the error: "the engine to be ready".
   * @throws when the process ends without one, or the deadline passes.
   */
  line(pattern: RegExp, deadlineMs?: number, what?: string): Promise<RegExpExecArray>
  /** Closes our end of its stdout, as `head` does when it has enough. */
  stopReading(): void
}

/** Starts a process in a group of its own, so that a Ctrl-C in the terminal reaches it only through us. */
export function startChild(options: ChildOptions): Child {
  const running = spawnEntry(options)
  let alive = true
  // The other end of the lifeline: it breaks when the process ends, which `exited` tells.
  running.stdio[3]?.on('error', () => {})
  const stdout = keepLines(running.stdout, (line) => options.onLine?.(line, 'stdout'))
  if (options.onBytes) running.stdout.on('data', options.onBytes)
  const stderr = running.stderr === null ? [] : keepLines(running.stderr, (line) => options.onLine?.(line, 'stderr'))
  const exited = new Promise<Exit>((resolve) => {
    running.once('error', (error) => {
      stderr.push(String(error))
      resolve({ code: null, signal: null })
    })
    running.once('close', (code, signal) => resolve({ code, signal }))
  }).finally(() => {
    alive = false
  })

  const child: Child = {
    name: options.name,
    pid: running.pid ?? 0,
    stdout,
    stderr,
    exited,
    get running() {
      return alive
    },
    signal: (name) => void running.kill(name),
    async stop(deadlineMs = 2500) {
      running.kill('SIGTERM')
      const overdue = setTimeout(() => running.kill('SIGKILL'), deadlineMs)
      const exit = await exited
      clearTimeout(overdue)
      return exit
    },
    stopReading: () => void running.stdout.destroy(),
    line: (pattern, deadlineMs, what) => findLine(child, pattern, deadlineMs, what),
    async [Symbol.asyncDispose]() {
      await child.stop()
    },
  }
  return child
}

function spawnEntry(options: ChildOptions) {
  const { entry, fromSource, interpreter = process.execPath, args = [], env = {}, cwd, stderrFile } = options
  const toArgs = SOURCE_ARGS[extname(entry.pathname)] ?? ((file) => [fileURLToPath(file)])
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('III_'))
  const log = stderrFile === undefined ? undefined : openSync(stderrFile, 'a')
  const running = spawn(interpreter, [...toArgs(entry, fromSource), ...args], {
    stdio: ['ignore', 'pipe', log ?? 'pipe', 'pipe'],
    detached: true,
    env: { ...Object.fromEntries(inherited), ...(fromSource ? { [BUILT_PROGRAMS]: '' } : {}), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  }) as ChildProcess & { stdout: Readable; stderr: Readable | null }
  if (log !== undefined) closeSync(log)
  return running
}

function keepLines(stream: Readable, onLine: (line: string) => void): string[] {
  const lines: string[] = []
  createInterface({ input: stream }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    onLine(line)
  })
  return lines
}

async function findLine(
  child: Child,
  pattern: RegExp,
  deadlineMs = 20_000,
  what = `${child.name} to say ${pattern}`,
): Promise<RegExpExecArray> {
  const search = () => {
    for (const line of [...child.stdout, ...child.stderr]) {
      const match = pattern.exec(line)
      if (match) return match
    }
    return undefined
  }
  const gone = new AbortController()
  void child.exited.then((exit) => gone.abort(new Error(explainDeath(child, exit))))
  return await until(search, { what, deadlineMs, signal: gone.signal })
}

/** What became of a process that ended, with the end of its log: what it said on stderr, else on stdout. */
export function explainDeath(child: Child, exit: Exit, lines = 15): string {
  const said = child.stderr.length > 0 ? child.stderr : child.stdout
  const log = said.slice(-lines).map((line) => `  | ${line}`)
  return [
    `${child.name} ended by itself, ${formatExit(exit)}.`,
    ...(log.length > 0 ? ['Its last lines:', ...log] : ['It said nothing.']),
  ].join('\n')
}

function formatExit({ code, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}`
  return code === null ? 'before it ran' : `with exit code ${code}`
}

/** Runs a program that ends by itself. @throws when it has not done so by the deadline; it is killed then. */
export async function runToEnd(
  options: ChildOptions,
  deadlineMs = 30_000,
): Promise<Exit & { stdout: string; stderr: string }> {
  const child = startChild(options)
  let overdue = false
  const timer = setTimeout(() => {
    overdue = true
    child.signal('SIGKILL')
  }, deadlineMs)
  const exit = await child.exited
  clearTimeout(timer)
  const said = { stdout: child.stdout.join('\n'), stderr: child.stderr.join('\n') }
  if (overdue) throw new Error(`${options.name} did not end within ${deadlineMs} ms:\n${said.stdout}\n${said.stderr}`)
  return { ...exit, ...said }
}

/** Whether a process is there and has not ended; one that waits to be collected by its parent has ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
