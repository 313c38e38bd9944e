import type { Worker } from '../bus/workers.ts'
import type { ArmedRule } from './armed-rule.ts'
import type { LineFaults } from './line-faults.ts'
import type { FaultName, FaultRule, RefuseHttp, Restart, RuleOf } from './rule.ts'

/** What the engine does itself when a rule says so. */
export interface Premises {
  /** What stands against a rule that is right in itself. */
  objection(rule: FaultRule): string | undefined
  /** Who is connected. */
  workers(): readonly Worker[]
  /** Refuses HTTP connections until the returned function is called, which may be called twice. */
  refuseHttp(): () => void
  /** Never rejects. */
  restart(options: Pick<Restart, 'state' | 'downMs'>): Promise<void>
}

/** Starts what a rule does by itself, without an occasion. @returns how that is ended and undone. */
export function beginRule(entry: ArmedRule, lines: LineFaults, premises: Premises): () => void {
  if (isAbout(entry, 'stop-reading')) return lines.stopReading(entry, premises.workers())
  if (isAbout(entry, 'refuse-http')) return refuse(entry, premises)
  if (isAbout(entry, 'restart')) return restartAgainAndAgain(entry, premises)
  if (isAbout(entry, 'drop-connection') && (entry.rule.when ?? 'now') === 'now') {
    lines.dropNow(entry, premises.workers())
  }
  return () => {}
}

function isAbout<N extends FaultName>(entry: ArmedRule, fault: N): entry is ArmedRule<RuleOf<N>> {
  return entry.rule.fault === fault
}

function refuse(entry: ArmedRule<RefuseHttp>, premises: Premises): () => void {
  const accept = premises.refuseHttp()
  entry.strikes({})
  const timer = entry.rule.ms === undefined ? undefined : setTimeout(accept, entry.rule.ms)
  return () => {
    clearTimeout(timer)
    accept()
  }
}

function restartAgainAndAgain(entry: ArmedRule<Restart>, premises: Premises): () => void {
  let timer: NodeJS.Timeout | undefined
  let ended = false

  function wait(): void {
    if (!ended) timer = setTimeout(() => void restart(), entry.rule.everyMs)
  }

  async function restart(): Promise<void> {
    if (!entry.strikes({})) return
    await premises.restart(entry.rule)
    wait()
  }

  wait()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
