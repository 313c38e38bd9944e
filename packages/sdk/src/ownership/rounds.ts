import type { Cards } from './card.ts'
import type { LookKind } from './pace.ts'
import type { RouteCheck } from './routes.ts'
import { createSettle, type TakeOverOptions, takeOver } from './take-over.ts'

/** Looks at who has what, and acts on it; nothing of it outlives the connection on which it began. */
export interface Rounds {
  /** A connection is up, and everything was registered on it. */
  start(): void
  /** It is gone. */
  end(): void
  /** Something was registered while it is up. */
  onRegistered(): void
  run(kind: LookKind): Promise<void>
}

export interface RoundsOptions extends TakeOverOptions {
  instance: string
  cards: Cards
  routes: RouteCheck
  afterArrivalMs: number
}

export function createRounds(options: RoundsOptions): Rounds {
  const { instance, registrations, look, holdings, cards, standing, routes, lookAgain, afterArrivalMs } = options
  const settle = createSettle(options)
  let connection = 0
  let isUp = false
  let shownLead: string | undefined
  /** Whether the outcome was looked at since things were registered last. */
  let settled = false

  /** The card tells which function comes first, so that twins know each other. @returns whether that has changed */
  function renewCard(): boolean {
    const lead = findLead(registrations.functionIds(), instance)
    if (lead === shownLead) return false
    shownLead = lead
    cards.show(lead)
    return true
  }

  async function runFull(isOver: () => boolean): Promise<void> {
    renewCard()
    const lead = settled ? undefined : shownLead
    // In this order: a twin shows its card when it has registered everything, so one that has a card is seen below.
    const twins = await cards.findTwins(lead)
    const ids = registrations.functionIds()
    const held = await lookAtAll(ids, options)
    if (isOver()) return
    holdings.note(held)
    const missing = holdings.missing(ids)
    settled = missing.length === 0
    if (!settled) return takeOver(missing, isOver, options)
    if (lead !== undefined && holdings.isOurs(lead)) settle(ids, twins)
    await finish(ids)
  }

  async function finish(ids: readonly string[]): Promise<void> {
    await report(ids)
    if (standing.current.state === 'serving') await routes.check()
  }

  async function runLight(isOver: () => boolean): Promise<void> {
    const ids = registrations.functionIds()
    const held = await look(holdings.pick(ids))
    if (isOver()) return
    holdings.note(held)
    if (holdings.missing(ids).length > 0) return runFull(isOver)
    await report(ids)
  }

  async function report(ids: readonly string[]): Promise<void> {
    const lost = holdings.lost(ids)
    if (lost.size > 0) await standing.standBy(lost)
    else standing.serve()
  }

  return {
    start() {
      holdings.clear()
      routes.reset()
      settled = false
      isUp = true
      shownLead = findLead(registrations.functionIds(), instance)
      cards.show(shownLead)
      lookAgain(afterArrivalMs)
    },
    end() {
      connection++
      isUp = false
      cards.forget()
    },
    onRegistered() {
      if (!isUp || !renewCard()) return
      settled = false
      lookAgain(afterArrivalMs)
    },
    run(kind) {
      const current = connection
      const isOver = () => connection !== current
      return kind === 'full' ? runFull(isOver) : runLight(isOver)
    },
  }
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
