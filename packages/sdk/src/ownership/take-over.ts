import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import type { Holdings } from './holdings.ts'
import type { Look } from './look.ts'
import { formatOwner, type Owner, type Registrations } from './ownership.ts'
import type { RouteCheck } from './routes.ts'
import type { Standing } from './standing.ts'

export interface TakeOverOptions {
  registrations: Registrations
  look: Look
  holdings: Holdings
  standing: Standing
  log: Logger
  claimMs: number
  /** Asks for a look at everything. */
  lookAgain(delayMs: number): void
  /** Does this worker take nothing that others have? */
  defers(): boolean
  routes: Pick<RouteCheck, 'free'>
  /** Is this process connected without answering? */
  isSilent(instance: string | undefined): boolean
}

/**
 * Registers what belongs to nobody. Several processes may do so at the same time, and a half of the functions here and the
 * other half there would serve nobody. So all of them claim the same one first; whoever has it a moment later takes the rest.
 */
export async function takeOver(
  missing: readonly string[],
  isOver: () => boolean,
  options: TakeOverOptions,
): Promise<void> {
  const { registrations, look, holdings, standing, claimMs, lookAgain, defers, routes } = options
  if (missing.some(holdings.wasThere)) await standing.comeBack()
  if (isOver()) return
  holdings.tried(missing)
  const [first = '', ...rest] = [...missing].sort()
  registrations.repeatFunctions([first])
  if (rest.length > 0) {
    await pause(claimMs)
    const held = isOver() ? undefined : await look([first])
    if (held?.get(first) !== 'us' || isOver()) return lookAgain(0)
  }
  registrations.repeatFunctions(rest)
  registrations.repeatTypes()
  const wanted = defers() ? await routes.free() : registrations.routes()
  if (isOver()) return
  registrations.repeatRoutes(wanted.map(({ id }) => id))
  lookAgain(claimMs)
}

/**
 * What a process does that has the first function (`lead`) a moment after it registered everything: another one may have done the
 * same meanwhile, so it makes sure of the rest, trigger types and routes too, of which the engine does not tell whose they are.
 */
export function createSettle({ registrations, holdings, log, lookAgain, claimMs, defers, isSilent }: TakeOverOptions) {
  const met = new Set<string | undefined>()

  return (lead: string | undefined, ids: readonly string[], twins: readonly Owner[]): void => {
    if (lead === undefined || !holdings.isOurs(lead) || defers()) return
    const instances = new Set(twins.map(({ instance }) => instance))
    const strays = [...holdings.lost(ids)].flatMap(([id, { instance }]) => (instances.has(instance) ? [id] : []))
    registrations.repeatFunctions(strays)
    if (strays.length > 0) lookAgain(claimMs)
    if (twins.length === 0) return
    registrations.repeatTypes()
    registrations.repeatRoutes(registrations.routes().map(({ id }) => id))
    const unmet = twins.filter(({ instance }) => !met.has(instance) && !isSilent(instance))
    if (unmet.length === 0) return
    for (const { instance } of unmet) met.add(instance)
    log.warn(
      { others: unmet },
      `this worker runs more than once on this engine: ${unmet.map(formatOwner).join(', ')} stands by while this process serves. If two were not meant to run, stop one of them`,
    )
  }
}
