import { setTimeout as pause } from 'node:timers/promises'
import { needsOwnEngine, requirePower, type SoakFault } from '../fault.ts'

const AWAY_MS = 2_000

/** The engine ends and is started again. @param keepsState whether with what it had stored */
export function createEngineRestart(signal: 'SIGTERM' | 'SIGKILL', keepsState: boolean): SoakFault {
  const how = signal === 'SIGKILL' ? 'kill -9 of the engine' : 'restart of the engine'
  return {
    name: `${how}, ${keepsState ? 'its state kept' : 'its state lost'}`,
    lacks: needsOwnEngine,
    async strike({ stage, kept, readAll }) {
      const power = requirePower(stage)
      // A registry writes back what it was given or asked for since it began, and no more.
      if (!keepsState) await readAll()
      const since = performance.now() - power.notSavedMs
      await power.end(signal)
      if (!keepsState) await power.dropState()
      for (const model of kept) model.forget(keepsState ? since : undefined)
      await pause(AWAY_MS)
      await power.start()
    },
  }
}
