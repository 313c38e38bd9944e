import { randomUUID } from 'node:crypto'
import { type CallRequest, type Calls, STOPPED } from '../bus/calls.ts'
import type { WireError } from '../bus/frames.ts'
import type { Outcome } from '../bus/outgoing.ts'
import { later, totalDelay } from './delay.ts'
import { dropIfAsked } from './drop.ts'
import { createMixing } from './mixing.ts'
import { createFlight, type Flight, landResult } from './result-faults.ts'
import type { FailCall } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import { calleeOf, type Scene } from './subject.ts'

type Settle = (outcome: Outcome) => void

/** Puts the faults of calls and results around the calls of a bus. Without rules in force every call goes straight through. */
export function createFaultyCalls(calls: Calls, rules: Rulebook, scene: Scene): Calls {
  const { workers } = scene
  const flights = new Map<string, Flight>()
  const mixing = createMixing(rules)

  function start(request: CallRequest, settle: Settle): void {
    if (rules.empty) calls.start(request, settle)
    else startAmongFaults(request, settle)
  }

  function startAmongFaults(request: CallRequest, settle: Settle): void {
    const { functionId, namespace, callerId = '' } = request
    const subject = calleeOf(scene, functionId, namespace)
    const answer: Settle = (outcome) => mixing.run(subject, () => settle(outcome))
    const [failing] = rules.striking('fail-call', subject)
    later(totalDelay(rules.striking('delay-call', subject)), () =>
      mixing.run(subject, () => {
        if (failing) answer({ error: toFailure(functionId, failing.rule) })
        else if (dropIfAsked(rules, 'call', workers.get(subject.workerId ?? ''), functionId)) answer({ error: STOPPED })
        else fly(request, answer)
        dropIfAsked(rules, 'own-call', workers.get(callerId), functionId)
      }),
    )
  }

  /** Makes a call and remembers it until it is answered, for the faults of its result. */
  function fly(request: CallRequest, answer: Settle): void {
    const invocationId = request.invocationId ?? randomUUID()
    const flight = createFlight(calleeOf(scene, request.functionId, request.namespace), request.callerId)
    const isBuiltin = flight.subject.workerId === undefined
    const isAwaited = request.callerId === undefined || request.invocationId !== undefined
    if (!isBuiltin && isAwaited) flights.set(invocationId, flight)
    calls.start({ ...request, invocationId }, (outcome) => {
      if (flights.get(invocationId) === flight) flights.delete(invocationId)
      if (isBuiltin && isAwaited) landResult(rules, scene, flight, () => answer(outcome))
      else answer(outcome)
    })
  }

  return {
    start,
    ask: (request) => new Promise((resolve) => start(request, resolve)),
    answer(invocationId, outcome) {
      const flight = flights.get(invocationId)
      if (flight) landResult(rules, scene, flight, () => calls.answer(invocationId, outcome))
      else calls.answer(invocationId, outcome)
    },
    halt(workerId) {
      calls.halt(workerId)
      for (const [id, { callerId }] of flights) if (callerId === workerId) flights.delete(id)
    },
    activeOf: (workerId) => calls.activeOf(workerId),
    calleeOf: (invocationId) => calls.calleeOf(invocationId),
  }
}

function toFailure(functionId: string, { code, message }: FailCall): WireError {
  return {
    code: code ?? 'invocation_failed',
    message: message ?? `${functionId} was made to fail by a fault`,
  }
}
