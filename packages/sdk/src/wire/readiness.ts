/** Who waits until the engine has handled everything that was sent so far. */
export interface Readiness {
  /** Resolves with the engine's pong: it handles the frames of one connection in order. */
  wait(timeoutMs: number | undefined): Promise<void>
  /** A connection is up and everything was registered on it. */
  onUp(): void
  onPong(): void
  onDown(): void
  onClosed(): void
}

interface Waiter {
  resolve(): void
  reject(error: Error): void
}

export function createReadiness(ping: () => boolean, problem: () => string): Readiness {
  let idle: Waiter[] = []
  let asked: Waiter[][] = []
  let closed = false

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
          const timer = setTimeout(() => {
            forget(waiter)
            reject(new Error(`The engine was not ready within ${timeoutMs} ms (${problem() || 'no answer'})`))
          }, timeoutMs)
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
    onUp: ask,
    onPong() {
      for (const waiter of asked.shift() ?? []) waiter.resolve()
    },
    onDown() {
      idle = [...asked.flat(), ...idle]
      asked = []
    },
    onClosed() {
      closed = true
      for (const waiter of [...asked.flat(), ...idle]) waiter.reject(shutDown())
      idle = []
      asked = []
    },
  }
}

function shutDown(): Error {
  return new Error('The worker was shut down')
}
