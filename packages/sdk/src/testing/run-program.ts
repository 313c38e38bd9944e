import { readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Ending, type ProcessGroup, type ProgramOptions, startProcessGroup } from '../process-group/index.ts'

/** A program that a test runs, in a folder of its own that has a file in it. */
export interface ProgramRun extends AsyncDisposable {
  readonly group: ProcessGroup
  readonly folder: string
  /** A file that was there before, in the program's folder. */
  readonly canary: string
  readonly stdout: ProgramOutput
  readonly stderr: ProgramOutput
  /** With everything that it wrote. */
  end(): Promise<{ ending: Ending; stdout: string; stderr: string }>
}

/** What somebody wrote so far. */
export interface ProgramOutput {
  readonly text: string
  /** The first so many lines, as soon as they are there. */
  lines(count: number): Promise<string[]>
}

/** What finds `sh` and its like, and this Node. */
export const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`

/** The program, or a line of shell that is it. */
export type Wanted = Partial<ProgramOptions> & { readonly shell?: string }

export async function runProgram(wanted: Wanted): Promise<ProgramRun> {
  const folder = await createCanaryFolder()
  const group = startProcessGroup(toProgram(wanted, folder))
  const stdout = collectOutput(group.stdout)
  const stderr = collectOutput(group.stderr)
  return {
    group,
    folder,
    canary: join(folder, 'canary'),
    stdout,
    stderr,
    async end() {
      const ending = await group.ended
      return { ending, stdout: stdout.text, stderr: stderr.text }
    },
    async [Symbol.asyncDispose]() {
      await group.stop({ graceMs: 0 })
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function toProgram({ shell, ...options }: Wanted, cwd: string): ProgramOptions {
  const program = shell === undefined ? { command: 'cat' } : { command: 'sh', args: ['-c', shell] }
  return { ...program, cwd, env: { PATH }, ...options }
}

export async function createCanaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'iii-group-')))
  await writeFile(join(folder, 'canary'), 'sings')
  return folder
}

export function collectOutput(stream: Readable): ProgramOutput {
  let text = ''
  let tell: () => void = () => undefined
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    text += chunk
    tell()
  })
  return {
    get text() {
      return text
    },
    lines: (count) =>
      new Promise((resolve) => {
        tell = () => {
          const lines = text.split('\n')
          if (lines.length > count) resolve(lines.slice(0, count))
        }
        tell()
      }),
  }
}

/** Whether a process is there and has not ended; one that waits to be collected has. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
