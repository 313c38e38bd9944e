import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { SoakFault } from '../fault.ts'

const HOUR_MS = 3_600_000
const STAYS_MS = 8_000

/** The clocks of our processes are set an hour ahead, an hour back, and right again. */
export const clockJump: SoakFault = {
  name: 'clocks set an hour ahead, back, and right again',
  async strike({ stage }) {
    for (const offset of [HOUR_MS, -HOUR_MS, 0]) {
      await writeFile(stage.files.clock, String(offset))
      await pause(STAYS_MS)
    }
  },
}
