import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, needsOwnEngine, requirePower } from '../fault.ts'

const AWAY_MS = 2_000
/** What was written so shortly before the end may be in no file. */
const NOT_SAVED_MARGIN_MS = 3_000

/** The engine ends and is started again. @param keepsState whether with what it had stored */
export function createEngineRestart(signal: 'SIGTERM' | 'SIGKILL', keepsState: boolean): Fault {
  const how = signal === 'SIGKILL' ? 'kill -9 of the engine' : 'restart of the engine'
  return {
    name: `${how}, ${keepsState ? 'its state kept' : 'its state lost'}`,
    lacks: needsOwnEngine,
    async strike({ stage, kept }) {
      const power = requirePower(stage)
      const since = performance.now() - power.savesEveryMs - NOT_SAVED_MARGIN_MS
      await power.end(signal)
      if (!keepsState) await power.dropState()
      // It saves by a timer alone, and not at its end.
      for (const model of kept) model.forget(keepsState ? since : undefined)
      await pause(AWAY_MS)
      await power.start()
    },
  }
}
