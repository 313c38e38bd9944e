import { MAX_TIMEOUT_MS } from '@iii/protocol'

/** Who waits until the engine has handled everything that was sent so far. */
export interface Readiness {
  /** Resolves with the engine's pong: it handles the frames of one connection in order. */
  wait(timeoutMs: number | undefined): Promise<void>
  /** The engine has greeted us and was told who we are. */
  onGreeted(): void
  /** It has answered that, and everything was registered. */
  onUp(): void
  onPong(): void
  onDown(): void
  onClosed(): void
}

interface Waiter {
  resolve(): void
  reject(error: Error): void
}

export interface DeafnessTimings {
  /** The engine has not taken in for so long what was registered on this connection. @default 1_500 */
  readonly toldAfterMs: number
  /** A new connection is tried after so long: more than an engine takes to let go of the one before. @default 10_000 */
  readonly droppedAfterMs: number
}

/** What is done about an engine that greets, and then reads nothing of what this worker sends. */
export interface Deafness extends DeafnessTimings {
  tell(): void
  drop(): void
  /** @returns tells whether the network has taken something of what waited to be sent since it was asked last */
  watchLeaving(): () => boolean
  /** It reads again. */
  over(): void
}

export const DEAFNESS_TIMINGS: DeafnessTimings = { toldAfterMs: 1_500, droppedAfterMs: 10_000 }

export interface ReadinessOptions {
  /** Asks the engine for a sign of life; false when there is no connection. */
  ping(): boolean
  /** The engine has handled what was sent before a ping. @returns whether more was sent because of that */
  onHandled(): boolean
  /** Why there is no connection, in words. */
  problem(): string
  deafness: Deafness
}

export function createReadiness({ ping, onHandled, problem, deafness }: ReadinessOptions): Readiness {
  let idle: Waiter[] = []
  let asked: Waiter[][] = []
  let closed = false
  const hearing = createHearing(deafness)

  function ask(): void {
    if (idle.length === 0 || !ping()) return
    asked.push(idle)
    idle = []
  }

  function forget(waiter: Waiter): void {
    for (const group of [idle, ...asked]) {
      const at = group.indexOf(waiter)
      if (at !== -1) group.splice(at, 1)
    }
  }

  return {
    wait(timeoutMs) {
      if (closed) return Promise.reject(shutDown())
      return new Promise((resolve, reject) => {
        const waiter: Waiter = { resolve, reject }
        if (timeoutMs !== undefined) {
          const timer = setTimeout(
            () => {
              forget(waiter)
              reject(new Error(`The engine was not ready within ${timeoutMs} ms (${problem() || 'no answer'})`))
            },
            Math.min(timeoutMs, MAX_TIMEOUT_MS),
          )
          waiter.resolve = () => {
            clearTimeout(timer)
            resolve()
          }
          waiter.reject = (error) => {
            clearTimeout(timer)
            reject(error)
          }
        }
        idle.push(waiter)
        ask()
      })
    },
    onGreeted: hearing.expect,
    onUp() {
      if (!ping()) return
      asked.push(idle)
      idle = []
    },
    onPong() {
      hearing.heard()
      const answered = asked.shift() ?? []
      if (onHandled()) {
        // What was sent now comes after every question that is on its way.
        idle = [...answered, ...asked.flat(), ...idle]
        asked = asked.map(() => [])
        ask()
      } else {
        for (const waiter of answered) waiter.resolve()
      }
    },
    onDown() {
      hearing.stop()
      idle = [...asked.flat(), ...idle]
      asked = []
    },
    onClosed() {
      hearing.stop()
      closed = true
      for (const waiter of [...asked.flat(), ...idle]) waiter.reject(shutDown())
      idle = []
      asked = []
    },
  }
}

/** Waits for a sign that what was sent is read. */
function createHearing({ toldAfterMs, droppedAfterMs, tell, drop, over, watchLeaving }: Deafness) {
  const timers = new Set<NodeJS.Timeout>()
  let isTold = false

  function stop(): void {
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
  }

  /** Much that is on its way over a slow network is not there to be read yet. */
  function afterQuiet(ms: number, act: () => void, hasLeft = watchLeaving()): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (hasLeft()) afterQuiet(ms, act, hasLeft)
      else act()
    }, ms)
    timers.add(timer.unref())
  }

  return {
    stop,
    expect() {
      stop()
      afterQuiet(toldAfterMs, () => {
        if (!isTold) tell()
        isTold = true
      })
      afterQuiet(droppedAfterMs, drop)
    },
    heard() {
      stop()
      if (isTold) over()
      isTold = false
    },
  }
}

function shutDown(): Error {
  return new Error('The worker was shut down')
}
