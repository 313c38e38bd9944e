import type { Cards } from './card.ts'
import type { Decision } from './decision.ts'
import { createDeferral } from './deferral.ts'
import type { Holdings } from './holdings.ts'
import type { Holder } from './look.ts'
import type { Registrations } from './ownership.ts'
import type { LookKind } from './pace.ts'
import type { RouteCheck } from './routes.ts'
import { createSettle, type TakeOverOptions, takeOver } from './take-over.ts'
import { createYielding } from './yielding.ts'

/** Looks at who has what, and acts on it; nothing of it outlives the connection on which it began. */
export interface Rounds {
  /** A connection is up, and everything was registered on it. */
  start(): void
  /** It is gone. */
  end(): void
  /** Something was registered while it is up. */
  onRegistered(): void
  /** The engine left something to somebody who has it already. */
  onRefused(): void
  /** This worker defers to nobody any more, and has registered everything; or it defers to others from now on. */
  onStance(): void
  run(kind: LookKind): Promise<void>
}

export interface RoundsOptions extends TakeOverOptions {
  instance: string
  cards: Cards
  routes: RouteCheck
  afterArrivalMs: number
  deferMs: number
  decision: Pick<Decision, 'begin' | 'giveUp'>
  /** Goes by the name that another process had, if that is free. @returns whether it was */
  takeNameBack(): Promise<boolean>
}

export function createRounds(options: RoundsOptions): Rounds {
  const { registrations, look, holdings, cards, standing, routes, lookAgain, afterArrivalMs, defers } = options
  const settle = createSettle(options)
  const deferral = createDeferral(options)
  const yielding = createYielding(options)
  const card = createOwnCard(options)
  let [connection, isUp] = [0, false]
  /** Whether the outcome was looked at since things were registered last. */
  let settled = false

  async function runFull(isOver: () => boolean): Promise<void> {
    const decide = options.decision.begin()
    card.renew()
    const lead = card.find(settled)
    // In this order: a twin shows its card when it has registered everything, so one that has a card is seen below.
    const twins = await cards.findTwins(lead)
    const ids = registrations.functionIds()
    const held = await lookAtAll(ids, options)
    if (isOver()) return
    note(held, options)
    if ((await yielding.yields(lead, ids, twins)) || (await deferral.leaves(ids, twins, decide))) return
    const missing = [...holdings.missing(ids), ...findForsaken(ids, options)]
    settled = missing.length === 0
    if (!settled) return takeOver(missing, isOver, options).then(decide)
    settle(lead, ids, twins)
    decide()
    await tell(ids, options)
    if (standing.current.state === 'serving') await completeService(options, isOver, card.show)
  }

  async function runLight(isOver: () => boolean): Promise<void> {
    const ids = registrations.functionIds()
    const held = await look(holdings.pick(ids))
    if (isOver()) return
    note(held, options)
    if (holdings.missing(ids).length > 0 || findForsaken(ids, options).length > 0) return runFull(isOver)
    await tell(ids, options)
  }

  return {
    start() {
      holdings.clear()
      routes.reset()
      settled = false
      isUp = true
      card.show()
      lookAgain(defers() || registrations.functionIds().some(registrations.isRefused) ? 0 : afterArrivalMs)
    },
    end() {
      connection++
      isUp = false
      cards.forget()
    },
    onRegistered() {
      if (!isUp || (!card.renew() && !defers())) return
      settled = false
      lookAgain(defers() ? 0 : afterArrivalMs)
    },
    onRefused() {
      if (isUp) lookAgain(0)
    },
    onStance() {
      if (!defers()) options.decision.giveUp()
      if (!isUp) return
      card.show()
      settled = false
      lookAgain(defers() ? 0 : afterArrivalMs)
    },
    run(kind) {
      const current = connection
      const isOver = () => connection !== current
      cards.listen()
      return kind === 'full' ? runFull(isOver) : runLight(isOver)
    },
  }
}

async function tell(ids: readonly string[], { holdings, standing, defers }: RoundsOptions): Promise<void> {
  const lost = holdings.lost(ids, defers())
  if (lost.size > 0) await standing.standBy(lost)
  else standing.serve()
}

/**
 * What another process has and does not answer for, where the engine gives it to whoever registers it next. Whoever has the first
 * function then has the rest a moment later, so it is left to him.
 */
function findForsaken(ids: readonly string[], options: RoundsOptions): string[] {
  const { holdings, registrations, instance, isSilent, defers } = options
  const lead = findLead(ids, instance)
  const owner = lead === undefined ? undefined : holdings.holderOf(lead)?.instance
  if (lead === undefined || defers() || registrations.isRefused(lead) || !isSilent(owner)) return []
  return ids.filter((id) => holdings.holderOf(id)?.instance === owner)
}

/** What goes with the functions that are ours. */
async function completeService(
  { routes, takeNameBack }: RoundsOptions,
  isOver: () => boolean,
  onRenamed: () => void,
): Promise<void> {
  await routes.check()
  if (!isOver() && (await takeNameBack())) onRenamed()
}

/** The card tells which function comes first, so that twins know each other. */
function createOwnCard({ registrations, instance, cards, defers }: RoundsOptions) {
  let lead: string | undefined

  function show(next = findLead(registrations.functionIds(), instance)): void {
    lead = next
    cards.show(lead)
  }

  return {
    /** That function, where it matters who has it. */
    find(settled: boolean): string | undefined {
      const isOpen = !settled || defers() || (lead !== undefined && registrations.isRefused(lead))
      return isOpen ? lead : undefined
    },
    show: () => show(),
    /** @returns whether another function comes first than it says */
    renew(): boolean {
      const next = findLead(registrations.functionIds(), instance)
      if (next === lead) return false
      show(next)
      return true
    },
  }
}

/** What was replaced while it was not sure whose it is, is said now. */
function note(held: ReadonlyMap<string, Holder>, { registrations, holdings }: RoundsOptions): void {
  holdings.note(held)
  forgetUnregistered(registrations, holdings)
  const untold = registrations.untoldIds().filter(holdings.isOurs)
  if (untold.length > 0) registrations.repeatFunctions(untold)
}

/** Some workers make up ids all the time: what is known is never of many more than there are. */
function forgetUnregistered(registrations: Registrations, holdings: Holdings): void {
  if (holdings.size <= 2 * registrations.functionCount()) return
  holdings.keepOnly(new Set([...registrations.functionIds(), ...registrations.sharedIds()]))
}

/** What is shared and nobody's is registered again on the way: it matters to nobody who has it. */
async function lookAtAll(ids: readonly string[], { registrations, look }: RoundsOptions) {
  const shared = registrations.sharedIds()
  const held = await look([...ids, ...shared])
  const free = shared.filter((id) => held.get(id) === 'nobody')
  if (free.length > 0) registrations.repeatFunctions(free)
  return held
}

/** The first of our functions that a twin has too: those who act at the same time agree on it. */
function findLead(ids: readonly string[], instance: string): string | undefined {
  let lead: string | undefined
  for (const id of ids) if (!id.includes(instance) && (lead === undefined || id < lead)) lead = id
  return lead
}
