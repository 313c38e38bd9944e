import type { Calls } from '../bus/calls.ts'
import type { BusWorker } from '../bus/workers.ts'
import { createFaultyCalls, type FunctionOwners } from './call-faults.ts'
import { type ConnectionFaults, createConnectionFaults } from './connection-faults.ts'
import { reorderBindings } from './reorder.ts'
import type { FaultName, FaultRule, RefuseHttp, Restart, RuleOf } from './rule.ts'
import { checkRule, FaultRuleError } from './rule-text.ts'
import { type ArmedRule, createRulebook, type Strike } from './rulebook.ts'

/** What goes wrong on request. The engine asks here, at a few places, whether something is to. */
export interface Faults extends Pick<ConnectionFaults, 'greeted' | 'received'> {
  /** Puts the faults of calls and results around the calls of a bus. */
  around(calls: Calls, registered: FunctionOwners): Calls
  /** The order in which a provider hears of bindings. */
  reorder<T extends { readonly functionId: string }>(bindings: readonly T[]): readonly T[]
  /** How long an HTTP request waits before it is taken up. @param functionId - of its route. */
  requestDelay(functionId: string | undefined): number
  /** Puts a rule in force. @throws FaultRuleError */
  inject(rule: FaultRule): Injected
  /** @returns a function that ends the watching. */
  watch(listener: (strike: Strike) => void): () => void
  /** Takes every rule back. */
  clear(): void
}

/** A rule that was injected. Calling it takes the rule back; what it held or refused goes on then. */
export interface Injected extends Disposable {
  (): void
  /** How often it has struck. */
  readonly struck: number
}

/** What the engine does itself when a rule says so. */
export interface EngineControls {
  /** What stands against a rule that is right in itself. */
  objection(rule: FaultRule): string | undefined
  /** Who is connected. */
  workers(): readonly BusWorker[]
  /** Refuses HTTP connections until the returned function is called, which may be called twice. */
  refuseHttp(): () => void
  /** Never rejects. */
  restart(options: Pick<Restart, 'state' | 'downMs'>): Promise<void>
}

/** @param seed - makes what is left to chance the same each time. */
export function createFaults(seed: number, engine: EngineControls): Faults {
  const listeners = new Set<(strike: Strike) => void>()
  const injected = new Set<() => void>()
  const rules = createRulebook(seed, (strike) => {
    for (const listener of listeners) listener(strike)
  })
  const connections = createConnectionFaults(rules)

  return {
    around: (calls, registered) => createFaultyCalls(calls, rules, registered),
    reorder: (bindings) => reorderBindings(rules, bindings),
    greeted: connections.greeted,
    received: (worker, frame) => rules.empty || connections.received(worker, frame),
    requestDelay: (functionId) => rules.delay('slow-http', { functionId }),
    inject(given) {
      const rule = checkRule(given)
      const objection = engine.objection(rule)
      if (objection !== undefined) throw new FaultRuleError(`${rule.fault}: ${objection}`)
      const entry = rules.arm(rule)
      const undo = begin(entry, connections, engine)
      const takeBack = () => {
        if (!injected.delete(takeBack)) return
        rules.disarm(entry)
        undo()
      }
      injected.add(takeBack)
      return Object.defineProperties(() => takeBack(), {
        struck: { get: () => entry.struck },
        [Symbol.dispose]: { value: takeBack },
      }) as Injected
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    clear() {
      for (const takeBack of injected) takeBack()
    },
  }
}

/** Starts what a rule does by itself, without an occasion. @returns how that is ended and undone. */
function begin(entry: ArmedRule, connections: ConnectionFaults, engine: EngineControls): () => void {
  if (isAbout(entry, 'stop-reading')) return connections.stopReading(entry, engine.workers())
  if (isAbout(entry, 'refuse-http')) return refuseHttp(entry, engine)
  if (isAbout(entry, 'restart')) return restartAgainAndAgain(entry, engine)
  if (isAbout(entry, 'drop-connection') && (entry.rule.when ?? 'now') === 'now') {
    connections.dropNow(entry, engine.workers())
  }
  return () => {}
}

function isAbout<N extends FaultName>(entry: ArmedRule, fault: N): entry is ArmedRule<RuleOf<N>> {
  return entry.rule.fault === fault
}

function refuseHttp(entry: ArmedRule<RefuseHttp>, engine: EngineControls): () => void {
  const accept = engine.refuseHttp()
  entry.strikes({})
  const timer = entry.rule.ms === undefined ? undefined : setTimeout(accept, entry.rule.ms)
  return () => {
    clearTimeout(timer)
    accept()
  }
}

function restartAgainAndAgain(entry: ArmedRule<Restart>, engine: EngineControls): () => void {
  let timer: NodeJS.Timeout | undefined
  let ended = false

  function wait(): void {
    if (!ended) timer = setTimeout(() => void restart(), entry.rule.everyMs)
  }

  async function restart(): Promise<void> {
    if (!entry.strikes({})) return
    await engine.restart(entry.rule)
    wait()
  }

  wait()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
