import { AsyncLocalStorage } from 'node:async_hooks'

/** Follows calls through promises and timers, and sees which rooms of an app are under way when another one is called. */
export interface RoomStack {
  /** Runs a function of this file. */
  enter<T>(file: string, work: () => T): T
  /** The calls that came back into a room, by way of another one, since this was asked last: `tools/index.ts → mcp/rpc.ts`. */
  takeReturns(): readonly string[]
}

interface Running {
  readonly file: string
  readonly room: string | undefined
  /** The rooms that wait for this one. */
  readonly waiting: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

export function createRoomStack(): RoomStack {
  const running = new AsyncLocalStorage<Running>()
  let returns = new Set<string>()

  function toRunning(file: string): Running {
    const room = toRoom(file)
    const caller = running.getStore()
    // A message of the engine has come, whoever connected to it.
    if (room === undefined || caller?.room === undefined) return { file, room, waiting: NONE }
    if (room === caller.room) return { file, room, waiting: caller.waiting }
    if (caller.waiting.has(room)) returns.add(`${toName(caller.file)} → ${toName(file)}`)
    return { file, room, waiting: new Set([...caller.waiting, caller.room]) }
  }

  return {
    enter: (file, work) => running.run(toRunning(file), work),
    takeReturns() {
      const taken = [...returns].sort()
      returns = new Set()
      return taken
    },
  }
}

/** A folder of an app's sources or a file beside them; undefined for what is of no app. */
function toRoom(file: string): string | undefined {
  return /^apps\/[^/]+\/src\/[^/]+/.exec(file)?.[0]
}

function toName(file: string): string {
  return file.split('/src/').at(-1) ?? file
}
