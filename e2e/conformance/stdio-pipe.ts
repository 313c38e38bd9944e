import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { StdioCommand } from '../programs.ts'

/** A server on stdin and stdout, line by line, whatever stands in the lines. */
export interface StdioPipe {
  write(line: string): void
  /** Who hears its lines from now on. */
  listen(hear: (line: string) => void): void
  /** Closes its stdin, and ends it when it does not end by itself. */
  close(): Promise<void>
  /** Resolves with what it said on stderr when it has ended before it was told to. */
  readonly died: Promise<string>
}

const PATIENCE_MS = 5_000
const KEPT_CHARACTERS = 4_000

export function openPipe({ command, args }: StdioCommand): StdioPipe {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('III_'))
  const child = spawn(command, args, { env: Object.fromEntries(inherited) })
  let hear: (line: string) => void = () => undefined
  let said = ''
  let isClosing = false
  createInterface({ input: child.stdout }).on('line', (line) => hear(line))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS)
  })
  // Whoever writes to one that has ended hears of its end.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve))
  return {
    write: (line) => void child.stdin.write(`${line}\n`),
    listen: (listener) => {
      hear = listener
    },
    async close() {
      isClosing = true
      child.stdin.end()
      const overdue = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      await ended
      clearTimeout(overdue)
    },
    died: new Promise((resolve) => {
      void ended.then((code) => {
        if (!isClosing) resolve(`A bridge on stdio ended by itself with exit code ${code}:\n${said}`)
      })
    }),
  }
}
