import { formatOwner, type Owner } from './ownership.ts'

/**
 * What can be done about functions that another process has. `free`: the last to register them has them. `kept`: the engine leaves them
 * to the first. `left`: this process takes nothing from others.
 */
export type Remedy = 'free' | 'kept' | 'left'

const STANDS_BY: Readonly<Record<Remedy, (what: string) => string>> = {
  free: (what) =>
    `registered ${what} after this process and gets the calls now; this process stands by and serves again when it leaves`,
  kept: (what) => `has ${what} already and gets the calls; this process stands by and serves when it leaves`,
  left: (what) => `serves ${what}; this process takes nothing from it, and serves when nobody else does`,
}

/** Says who has these functions, and that this process stands by. */
export function explainOwner(who: string, ids: readonly string[], reach: Remedy): string {
  const text = `${who} ${STANDS_BY[reach](summarise(ids))}`
  return reach === 'left' ? text : `${text}. If two were not meant to run, stop one of them`
}

/** Says that this process serves, and who had what it serves. */
export function explainReturn(owner: Owner | undefined, reach: Remedy): string {
  if (owner !== undefined && reach !== 'free') {
    return `this process serves now: ${formatOwner(owner)} had its functions first`
  }
  const what = owner === undefined ? 'were gone from the engine' : `had been taken over by ${formatOwner(owner)}`
  return `this process serves again: some or all of its functions ${what}`
}

/** Says that whoever has these functions does not answer, and what comes of it. */
export function explainSilence(owner: Owner, since: Date, ids: readonly string[], reach: Remedy): string {
  const silence = `${formatOwner(owner)} has ${summarise(ids)}, is connected and has not answered since ${since.toISOString()}`
  if (reach === 'free') return `${silence}; this process takes over`
  const why =
    reach === 'left'
      ? 'takes nothing from it'
      : 'cannot serve, because the engine keeps functions for a connection for as long as it takes it to be alive'
  return `${silence}; this process stands by and ${why}. ${explainEnding(owner)}, and this one serves`
}

/** @example explainEnding(owner) // 'End that process (pid 4711 on host-a)' */
export function explainEnding({ pid, host }: Pick<Owner, 'pid' | 'host'>): string {
  const where = pid === undefined ? '' : ` (pid ${pid}${host === undefined ? '' : ` on ${host}`})`
  return `End that process${where}`
}

const NAMED_IDS = 5

/** @example summarise(['a::b', 'a::c']) // 'a::b, a::c' */
export function summarise(ids: readonly string[]): string {
  const shown = ids.slice(0, NAMED_IDS).join(', ')
  return ids.length > NAMED_IDS ? `${shown} and ${ids.length - NAMED_IDS} more` : shown
}
