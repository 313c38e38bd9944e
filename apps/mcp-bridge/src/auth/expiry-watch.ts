import { toStanding } from './decision.ts'
import type { Principal } from './principal.ts'

/** Follows those who were let in for longer than a reply takes, until they would not be any more. */
export interface ExpiryWatch {
  /**
   * @param onOver called once, within a second of the moment that its token has ended or the settings have no place for it any more
   * @returns to be called when it has left by itself
   */
  follow(principal: Principal, onOver: () => void): () => void
}

/** Whether somebody would be let in is what the settings say at the moment; there is no event for a time that has come. */
const LOOK_EVERY_MS = 500

export function createExpiryWatch(now: () => number = Date.now): ExpiryWatch {
  const all = new Map<object, Followed>()
  let looks: NodeJS.Timeout | undefined

  function leave(key: object): void {
    all.delete(key)
    if (all.size > 0) return
    clearInterval(looks)
    looks = undefined
  }

  function look(): void {
    for (const [key, { principal, onOver }] of [...all]) {
      if (!all.has(key) || toStanding(principal, now()) !== undefined) continue
      leave(key)
      onOver()
    }
  }

  return {
    follow(principal, onOver) {
      const key = {}
      all.set(key, { principal, onOver })
      looks ??= setInterval(look, LOOK_EVERY_MS).unref()
      return () => leave(key)
    },
  }
}

interface Followed {
  readonly principal: Principal
  readonly onOver: () => void
}
