import type { Writable } from 'node:stream'
import { withoutLineEnds } from '../mcp/rpc.ts'

/** Writes messages as lines, each in one piece. */
export interface LineWriter {
  /** @returns true once there is room for more, false when nobody reads any more */
  send(message: string): Promise<boolean>
  /** Does more wait for the reader than should? */
  readonly isFull: boolean
  /** Resolves when there is room, or nobody reads any more. */
  room(): Promise<unknown>
  /** Resolves when all that was sent is out, or nobody reads any more. */
  flush(): Promise<void>
}

/** So much may wait for a reader before its requests have to. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

const ROOM = Promise.resolve(true)
const GONE = Promise.resolve(false)

/** @param output takes no more once it has failed or was closed */
export function createLineWriter(output: Writable): LineWriter {
  let drained: Promise<boolean> | undefined

  function room(): Promise<boolean> {
    if (!output.writable) return GONE
    if (!output.writableNeedDrain) return ROOM
    drained ??= new Promise<boolean>((resolve) => {
      const settle = () => {
        output.off('drain', settle).off('close', settle)
        drained = undefined
        resolve(output.writable)
      }
      output.on('drain', settle).on('close', settle)
    })
    return drained
  }

  return {
    send(message) {
      if (!output.writable) return GONE
      output.write(`${withoutLineEnds(message)}\n`)
      return room()
    },
    get isFull() {
      return output.writable && output.writableLength > MAX_WAITING_BYTES
    },
    room,
    flush: () =>
      new Promise((resolve) => {
        if (!output.writable) return resolve()
        output.once('close', resolve)
        output.write('', () => resolve())
      }),
  }
}
