import { setTimeout as pause } from 'node:timers/promises'
import { pick, type Random } from './random.ts'
import type { SoakStage } from './stage.ts'

const MEMBERS = ['node worker', 'python worker', 'bare worker']
const STAYS_MS = 20_000
const AWAY_MS = 1_000

/** Lets workers of others leave and come again while everything else goes on. @param isCalm they wait while something is broken */
export function startChurn(stage: SoakStage, random: Random, isCalm: () => boolean): { stop(): Promise<void> } {
  const over = new AbortController()
  const members = MEMBERS.flatMap((name) => stage.members.get(name) ?? [])
  const going = (async () => {
    while (!over.signal.aborted) {
      await pause(STAYS_MS, undefined, { signal: over.signal }).catch(() => undefined)
      const member = pick(random, members)
      if (over.signal.aborted || !isCalm() || member.upSince === undefined) continue
      await member.stop()
      await pause(AWAY_MS)
      await member.start().catch(() => undefined)
    }
  })()
  return {
    async stop() {
      over.abort()
      await going
    },
  }
}
