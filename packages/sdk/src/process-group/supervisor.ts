import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { RAISE_OPEN_FILES } from '../open-files.ts'

export interface ProgramOptions {
  /** An executable: a path, or a name that is looked for on the `PATH` of `env`. No shell reads it. */
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd: string
  /** All of its environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>
  /** A folder that is removed when the group has ended, also when this process ended first. @default none: nothing is ever removed */
  readonly removes?: string
  /** The Node that the supervisor runs on. @default the running one */
  readonly node?: string
}

export interface Supervisor {
  readonly leader: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Where it says how the program ended; that our end closes is how it notices ours. */
  readonly owner: Duplex
}

/**
 * It is handed over as text, for a program of one file has it in itself, and what it runs by a pipe: neither arguments nor variables of the
 * program are its own, or would do anything to it.
 *
 * @throws where there can be no pipes to it
 */
export function startSupervisor({ node = process.execPath, ...options }: ProgramOptions): Supervisor {
  const { command, args = [], cwd, env, removes } = options
  const leader = spawn(node, ['--input-type=module', '-e', readText()], {
    // The last one has to read and write at the same time, which on Windows only an overlapped pipe does.
    stdio: ['pipe', 'pipe', 'pipe', 'overlapped'],
    detached: process.platform !== 'win32',
    cwd: '/',
    // Node hands this one on unless it is named.
    env: { NODE_V8_COVERAGE: undefined },
    windowsHide: true,
  })
  // Node says so later as well, to whoever listens, and ends a process in which nobody does.
  leader.on('error', () => undefined)
  const pipes = leader.stdio as unknown as [Writable, Readable, Readable, Duplex] | undefined
  if (pipes === undefined) throw new Error(RAISE_OPEN_FILES)
  const [stdin, stdout, stderr, owner] = pipes
  for (const pipe of pipes) pipe.on('error', () => undefined)
  owner.write(`${JSON.stringify({ command, args, cwd: resolve(cwd), env, removes })}\n`)
  return { leader, stdin, stdout, stderr, owner }
}

// A program of one file has the text in itself, so it is read by a line of this form.
function readText(): string {
  return readFileSync(new URL('../../spawned/supervisor.mjs', import.meta.url), 'utf8')
}
