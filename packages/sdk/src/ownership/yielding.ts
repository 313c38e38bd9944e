import type { Holdings } from './holdings.ts'
import type { Owner, Registrations } from './ownership.ts'
import type { Standing } from './standing.ts'

/**
 * What a process does that has what another one should have, where nobody can take it from it: two that started together may have a part
 * each, and a worker that defers may have come first.
 */
export interface Yielding {
  /**
   * Gives up what a twin should have, once for each twin, and leaves what is nobody's to it for a while.
   *
   * @returns whether it leaves everything as it is for now
   */
  yields(lead: string | undefined, ids: readonly string[], twins: readonly Owner[]): Promise<boolean>
}

export interface YieldingOptions {
  registrations: Pick<Registrations, 'isRefused' | 'giveUp'>
  holdings: Pick<Holdings, 'holderOf' | 'isOurs' | 'lost' | 'missing'>
  standing: Pick<Standing, 'standBy'>
  instance: string
  deferMs: number
  claimMs: number
  lookAgain(delayMs: number): void
  /** Does this worker take nothing that others have? */
  defers(): boolean
}

export function createYielding(options: YieldingOptions): Yielding {
  const { registrations, holdings, standing, instance, deferMs, claimMs, lookAgain, defers } = options
  const given = new Set<string | undefined>()
  /** Since when a twin could take what is nobody's. */
  let since: number | undefined

  /** Who should have everything: whoever has the first function, or somebody who is better than we are. */
  function findHeir(lead: string, twins: readonly Owner[]): Owner | undefined {
    if (holdings.isOurs(lead)) return defers() ? twins.find((twin) => !twin.defers) : undefined
    const holder = holdings.holderOf(lead)
    return registrations.isRefused(lead) ? twins.find((twin) => twin.instance === holder?.instance) : undefined
  }

  function isTheirTurn(ids: readonly string[]): boolean {
    if (holdings.missing(ids).length === 0) since = undefined
    else since ??= performance.now()
    return since !== undefined && performance.now() - since < deferMs
  }

  return {
    async yields(lead, ids, twins) {
      const heir = lead === undefined ? undefined : findHeir(lead, twins)
      if (heir === undefined) return false
      const ours = ids.filter((id) => holdings.isOurs(id) && !id.includes(instance))
      if (ours.length > 0 && !given.has(heir.instance)) {
        given.add(heir.instance)
        registrations.giveUp(ours)
        lookAgain(claimMs)
        return true
      }
      if (!isTheirTurn(ids)) return false
      await standing.standBy(holdings.lost(ids))
      lookAgain(claimMs)
      return true
    },
  }
}
