/**
 * Stands between the bridge and a worker that it runs for a client: `supervisor.mjs DIRECTORY PROGRAM ARGUMENT…`. It leads the process
 * group that the worker is in, and takes the directory away when the worker has ended.
 *
 * stdin is a pipe whose other end the bridge holds. When it closes, however the bridge ended, the whole group ends.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { constants } from 'node:os'
import process from 'node:process'

const PATIENCE_MS = 2000

const [directory = '', program = '', ...args] = process.argv.slice(2)
let isAlone = false

const worker = spawn(program, args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] })
worker.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  leave(127)
})
worker.on('exit', (code, signal) => leave(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))

// These reach the whole group; this process waits for the worker.
process.on('SIGTERM', () => undefined)
process.on('SIGINT', () => undefined)

process.stdin.on('error', () => undefined)
process.stdin.on('close', endAll)
process.stdin.resume()

function endAll() {
  isAlone = true
  tellGroup('SIGTERM')
  setTimeout(() => worker.kill('SIGKILL'), PATIENCE_MS)
}

function leave(code) {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // What the worker has made of it must not keep anybody alive.
  }
  // Whatever else the worker has started ends too; a bridge that is there sees to that, and wants to know the code first.
  if (isAlone) tellGroup('SIGKILL')
  process.exit(code)
}

function tellGroup(signal) {
  if (process.platform === 'win32') worker.kill(signal)
  else process.kill(-process.pid, signal)
}
