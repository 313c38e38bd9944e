import { Fault } from '@iii/protocol'

/** The time that one call has for everything that it does. */
export interface FetchDeadline {
  /** Waits for work until the deadline, and begins none behind it. @throws Fault `deadline` */
  cut<T>(work: () => Promise<T>): Promise<T>
  end(): void
}

/** @param ms from now on; somebody has to end it. */
export function startDeadline(ms: number): FetchDeadline {
  const limit = `the ${ms / 1000} s that one call may take`
  let passed = false
  let timer: NodeJS.Timeout | undefined
  const reached = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      passed = true
      reject(new Fault('deadline', `no answer within ${limit}`))
    }, ms)
  })
  reached.catch(() => undefined)
  return {
    async cut(work) {
      if (passed) throw new Fault('deadline', `not begun within ${limit}; fetch it in another call`)
      return await Promise.race([work(), reached])
    },
    end: () => clearTimeout(timer),
  }
}
