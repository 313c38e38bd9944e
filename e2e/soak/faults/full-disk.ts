import { setTimeout as pause } from 'node:timers/promises'
import { needsOwnEngine, requirePower, type SoakFault } from '../fault.ts'

const FULL_MS = 15_000
/** Less than any file of its state has. */
const NO_BYTES = 1
const AWAY_MS = 1_000

/** The engine can write no file for a while, and is killed before it can write again: what it said it had stored is gone. */
export const fullDisk: SoakFault = {
  name: 'full disk under the state of the engine, which is killed then',
  lacks: (stage) =>
    needsOwnEngine(stage) ?? (requirePower(stage).limitFiles === undefined ? 'its files cannot be limited' : undefined),
  async strike({ stage, kept, say }) {
    const power = requirePower(stage)
    const since = performance.now() - power.notSavedMs
    await power.limitFiles?.(NO_BYTES)
    await pause(FULL_MS)
    await power.end('SIGKILL')
    for (const model of kept) model.forget(since)
    say('the engine could write nothing, and is started again')
    await pause(AWAY_MS)
    await power.start()
  },
}
