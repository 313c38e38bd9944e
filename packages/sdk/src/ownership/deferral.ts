import type { Holdings } from './holdings.ts'
import type { Owner } from './ownership.ts'
import type { Standing } from './standing.ts'

/** How a worker that defers to others looks at what it found. */
export interface Deferral {
  /**
   * Whether it leaves everything as it is, because somebody has some of it, or for now, because somebody may be about to.
   *
   * @param decide called when somebody has
   */
  leaves(ids: readonly string[], twins: readonly Owner[], decide: () => void): Promise<boolean>
}

export interface DeferralOptions {
  holdings: Pick<Holdings, 'lost' | 'missing'>
  standing: Pick<Standing, 'standBy'>
  /** Does this worker take nothing that others have? */
  defers(): boolean
  /** How long others may take to register what is nobody's. */
  deferMs: number
  /** Asks for a look at everything. */
  lookAgain(delayMs: number): void
}

export function createDeferral({ holdings, standing, defers, deferMs, lookAgain }: DeferralOptions): Deferral {
  /** Since when twins could take what is nobody's. */
  let since: number | undefined

  /** A twin that stands by registers what is missing at the same time, and the last to do so has it. */
  function isTheirTurn(twins: readonly Owner[]): boolean {
    if (twins.every(({ defers }) => defers)) return false
    since ??= performance.now()
    return performance.now() - since < deferMs
  }

  return {
    async leaves(ids, twins, decide) {
      if (!defers()) return false
      const others = holdings.lost(ids, true)
      if (others.size > 0) {
        since = undefined
        await standing.standBy(others)
        decide()
        return true
      }
      if (holdings.missing(ids).length === 0 || !isTheirTurn(twins)) {
        since = undefined
        return false
      }
      lookAgain(deferMs)
      return true
    },
  }
}
