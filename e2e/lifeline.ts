/**
 * Loaded before a program that must not outlive the process that started it (`--import`, see `child.ts`): file
 * descriptor 3 is a pipe whose other end that process holds. When the pipe closes, however that process ended,
 * this one is asked to stop, and ends in any case.
 */
import { Socket } from 'node:net'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

const PATIENCE_MS = 2000

if (isMainThread) {
  const pipe = new Socket({ fd: 3, readable: true, writable: false })
  pipe.on('error', () => pipe.destroy())
  pipe.on('close', leave)
  pipe.resume()
  pipe.unref()
}

function leave(): void {
  setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  process.kill(process.pid, 'SIGTERM')
}
