import { setTimeout as pause } from 'node:timers/promises'
import type { SoakFault } from '../fault.ts'

const TIMES = 5
const BETWEEN_MS = 1_500
/** Longer than either end waits for a sign of life. */
const DEAD_MS = 35_000

/** The connection to the engine breaks a few times in a row. */
export function createCut(which: 'bridge' | 'skills'): SoakFault {
  return {
    name: `connection of ${which} cut five times`,
    async strike({ stage }) {
      for (let time = 0; time < TIMES; time++) {
        stage.cables[which].cut()
        await pause(BETWEEN_MS)
      }
    },
  }
}

/** The connection to the engine is dead, and nobody is told. */
export function createHalfOpen(which: 'bridge' | 'skills'): SoakFault {
  return {
    name: `connection of ${which} half-open`,
    async strike({ stage }) {
      stage.cables[which].swallow()
      try {
        await pause(DEAD_MS)
      } finally {
        // What comes late must do no harm; what is connected is cut, as a router does that was started anew.
        stage.cables[which].pass()
        stage.cables[which].cut()
      }
    },
  }
}
