import { constants, fstatSync, openSync } from 'node:fs'
import { type DestinationStream, destination } from 'pino'

/** How much of the log waits for room, in bytes. */
const MAX_UNWRITTEN = 4 * 1024 * 1024
/** How soon a reader who is behind is tried again. In milliseconds. */
const TRY_AGAIN_MS = 20
/** So long a process that ends waits for such a reader. In milliseconds. */
const LAST_MS = 500

let opened: DestinationStream | undefined

/**
 * What all logs of this process are written to. One that cannot be written ends nothing, and keeps nothing from going on: on a full disk, and
 * where whoever started the process reads slowly or not at all, lines wait for room, and what is too much is lost.
 */
export function openStderr(): DestinationStream {
  opened ??= open()
  return opened
}

function open(): DestinationStream {
  const { fd, unblock } = openUnblocked()
  const stderr = destination({ dest: fd, sync: true, maxLength: MAX_UNWRITTEN, retryEAGAIN: () => false })
  let isBehind = false
  let again: NodeJS.Timeout | undefined

  function write(text: string): void {
    unblock()
    stderr.write(text)
  }

  function tryAgain(): void {
    clearTimeout(again)
    again = undefined
    isBehind = false
    write('')
  }

  function trySoon(): void {
    again ??= setTimeout(tryAgain, TRY_AGAIN_MS).unref()
  }

  stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EAGAIN') return
    isBehind = true
    trySoon()
  })
  // A line that is dropped is not even tried, and nothing tells that a disk has room again.
  stderr.on('drop', trySoon)
  process.on('exit', () => {
    const turn = new Int32Array(new SharedArrayBuffer(4))
    for (const until = performance.now() + LAST_MS; isBehind && performance.now() < until; tryAgain()) {
      Atomics.wait(turn, 0, 0, TRY_AGAIN_MS)
    }
  })
  return { write }
}

/** What Node has of a socket. */
interface SocketHandle {
  readonly _handle?: { setBlocking?(isBlocking: boolean): unknown } | null
}

/**
 * A pipe is opened once more, where the system can do that: who else has it is not to find it changed. A socket, which is what Node hands to
 * those whom it starts, blocks again as soon as a process is started that shares it.
 */
function openUnblocked(): { fd: number; unblock(): void } {
  const unblock = () => undefined
  try {
    const stderr = fstatSync(2)
    if (stderr.isFIFO()) {
      return { fd: openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK), unblock }
    }
    const socket = process.stderr as typeof process.stderr & SocketHandle
    if (stderr.isSocket()) return { fd: 2, unblock: () => void socket._handle?.setBlocking?.(false) }
  } catch {
    // As it is, then.
  }
  return { fd: 2, unblock }
}
