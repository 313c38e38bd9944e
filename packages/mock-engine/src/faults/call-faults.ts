import { randomUUID } from 'node:crypto'
import type { Bus } from '../bus/bus.ts'
import { type CallRequest, type Calls, STOPPED } from '../bus/calls.ts'
import type { Workers } from '../bus/workers.ts'
import type { WireError } from '../wire/frames.ts'
import type { CallResult } from '../wire/outgoing.ts'
import { dropIfAsked } from './connection-faults.ts'
import { createReordering } from './reorder.ts'
import type { FailCall } from './rule.ts'
import type { ArmedRule, Rulebook, Subject } from './rulebook.ts'

type Settle = (outcome: CallResult) => void

/** Who has which function, and who is connected. */
export type FunctionOwners = Pick<Bus, 'functions' | 'workers'>

/** Puts the faults of calls and results around the calls of a bus. Without rules in force every call goes straight through. */
export function createFaultyCalls(calls: Calls, rules: Rulebook, registered: FunctionOwners): Calls {
  const { workers } = registered
  const pending = new Map<string, PendingCall>()
  const reorder = createReordering(rules)

  function start(request: CallRequest, settle: Settle): void {
    if (rules.empty) calls.start(request, settle)
    else startAmongFaults(request, settle)
  }

  function startAmongFaults(request: CallRequest, settle: Settle): void {
    const { functionId, namespace, callerId = '' } = request
    const subject = calleeOf(registered, functionId, namespace)
    const answer: Settle = (outcome) => reorder(subject, () => settle(outcome))
    const [failing] = rules.striking('fail-call', subject)
    after(rules.delay('delay-call', subject), () =>
      reorder(subject, () => {
        if (failing) answer({ error: toFailure(functionId, failing.rule) })
        else if (dropIfAsked(rules, 'call', workers.get(subject.workerId ?? ''), functionId)) answer({ error: STOPPED })
        else handOver(request, answer)
        dropIfAsked(rules, 'own-call', workers.get(callerId), functionId)
      }),
    )
  }

  /** Makes a call and remembers it until it is answered, for the faults of its result. */
  function handOver(request: CallRequest, answer: Settle): void {
    const { functionId, namespace, callerId, invocationId = randomUUID() } = request
    const subject = calleeOf(registered, functionId, namespace)
    const call: PendingCall = { subject, callerId, handedAt: performance.now(), early: new Map(), decision: undefined }
    const isBuiltin = subject.workerId === undefined
    const isAwaited = callerId === undefined || request.invocationId !== undefined
    if (!isBuiltin && isAwaited) pending.set(invocationId, call)
    calls.start({ ...request, invocationId }, (outcome) => {
      if (pending.get(invocationId) === call) pending.delete(invocationId)
      if (isBuiltin && isAwaited) deliverResult(rules, workers, call, () => answer(outcome))
      else answer(outcome)
    })
  }

  return {
    start,
    ask: (request) => new Promise((resolve) => start(request, resolve)),
    answer(invocationId, outcome, workerId) {
      const call = pending.get(invocationId)
      const answer = () => calls.answer(invocationId, outcome, workerId)
      if (call) deliverResult(rules, workers, call, answer)
      else answer()
    },
    halt(workerId) {
      calls.halt(workerId)
      for (const [id, { callerId }] of pending) if (callerId === workerId) pending.delete(id)
    },
    activeOf: (workerId) => calls.activeOf(workerId),
    calleeOf: (invocationId) => calls.calleeOf(invocationId),
  }
}

/** A function and who has it. */
function calleeOf({ functions, workers }: FunctionOwners, functionId: string, namespace: string | undefined): Subject {
  const host = functions.get(functionId, namespace)?.host
  if (host?.kind !== 'worker') return { functionId, workerName: host?.workerName }
  return { functionId, workerId: host.workerId, workerName: workers.get(host.workerId)?.report?.name }
}

function toFailure(functionId: string, { code, message }: FailCall): WireError {
  return {
    code: code ?? 'invocation_failed',
    message: message ?? `${functionId} was made to fail by a fault`,
  }
}

/** A call that was made while rules were in force, and what they decided about it. */
interface PendingCall {
  readonly subject: Subject
  readonly callerId: string | undefined
  readonly handedAt: number
  /** About its early copies: each rule decides once. */
  readonly early: Map<ArmedRule, boolean>
  /** About its result: for every copy of it. */
  decision: { readonly lost: boolean; readonly delayMs: number } | undefined
}

/** Lets a result, or a copy of one, arrive: now, later or never. */
function deliverResult(rules: Rulebook, workers: Workers, call: PendingCall, take: () => void): void {
  if (isTooEarly(rules, call)) return
  call.decision ??= decide(rules, workers, call.subject)
  if (!call.decision.lost) after(call.decision.delayMs, take)
}

function decide(rules: Rulebook, workers: Workers, subject: Subject): NonNullable<PendingCall['decision']> {
  const lost = rules.striking('lose-result', subject).length > 0
  const delayMs = rules.delay('delay-result', subject)
  const dropped = dropIfAsked(rules, 'result', workers.get(subject.workerId ?? ''), subject.functionId)
  return { lost: lost || dropped, delayMs }
}

/** Only what comes over a connection can be too early. */
function isTooEarly(rules: Rulebook, { subject, handedAt, early }: PendingCall): boolean {
  if (subject.workerId === undefined) return false
  const ageMs = performance.now() - handedAt
  const decided = rules
    .of('lose-early-result')
    .filter(({ rule }) => ageMs < (rule.withinMs ?? 1))
    .map((entry) => {
      const lost = early.get(entry) ?? entry.strikes(subject)
      early.set(entry, lost)
      return lost
    })
  return decided.includes(true)
}

/** Does something after so many milliseconds; at once when it is not to be delayed. */
function after(delayMs: number, work: () => void): void {
  if (delayMs > 0) setTimeout(work, delayMs).unref()
  else work()
}
