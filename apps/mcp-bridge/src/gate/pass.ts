import { Fault, readMcpMetadata } from '@iii/protocol'
import { InvocationError, isAbsent, type TriggerRequest, type Worker } from '@iii/sdk'
import type { Way } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { Callee, Denial, Pass } from './contract.ts'
import { toFaultCode } from './denial.ts'
import type { FunctionDetail } from './directory.ts'
import type { Known, KnownFunctions } from './known-functions.ts'
import { readKey } from './sight.ts'

export interface PassOptions {
  readonly engine: Pick<Worker, 'trigger'>
  readonly functions: Pick<KnownFunctions, 'isFresh' | 'remove'>
  /** @returns why somebody who has a grant may not use it any more, by what is known of it */
  judgeAgain(entry: Known, way: Way, principal: Principal): Denial | undefined
  /** @returns what is known of a function that may be used */
  look(key: string, way: Way, principal: Principal): Promise<Known | Denial>
}

/** Lets a function be called of which the gate knows. */
export function createPass(entry: Known, way: Way, { engine, functions, judgeAgain, look }: PassOptions): Pass {
  const { detail } = entry
  const { functionId, namespace, metadata, target } = readDetail(detail)
  let good = entry

  async function lookAgain(principal: Principal): Promise<void> {
    const seen = await look(detail.id, way, principal)
    if ('detail' in seen) good = seen
    else requireGone(seen, functionId)
  }

  function renew(principal: Principal): Promise<void> | undefined {
    if (!functions.isFresh(good)) return lookAgain(principal)
    const denial = judgeAgain(good, way, principal)
    if (denial !== undefined) requireGone(denial, functionId)
    return undefined
  }

  return {
    allowed: true,
    detail,
    functionId,
    namespace,
    metadata,
    renew,
    call: createCall(engine, {
      ...{ target, renew },
      toAbsence(error) {
        functions.remove(detail.id)
        return error
      },
    }),
  }
}

interface CallPath {
  readonly target: Pick<TriggerRequest, 'function_id' | 'namespace'>
  /** Asked before each call. */
  readonly renew: Pass['renew'] | undefined
  /** Makes the error where nobody offers the function. */
  readonly toAbsence: (error: unknown) => unknown
}

/** How something is called, past the gate. */
export function createCall(engine: Pick<Worker, 'trigger'>, { target, renew, toAbsence }: CallPath): Callee['call'] {
  const { function_id, namespace } = target
  return async (payload, { principal, metadata, timeoutMs, signal, trace, action }) => {
    const renewal = renew?.(principal)
    if (renewal !== undefined) await renewal
    try {
      return await engine.trigger({ function_id, namespace, payload, metadata, timeoutMs, signal, trace, action })
    } catch (error) {
      throw isAbsent(error, target.function_id) ? toAbsence(error) : error
    }
  }
}

/** Of a function that has gone the call itself says in its way that nobody is there to be called. @throws for any other denial */
function requireGone(denial: Denial, functionId: string): void {
  if (denial.why !== undefined) throw new InvocationError('function_not_found', denial.message, functionId)
  if (denial.reason !== 'unknown') throw new Fault(toFaultCode(denial), denial.message)
}

/** Whom a call goes to. */
export function toCallTarget(function_id: string, namespace: string | undefined): CallPath['target'] {
  return namespace === undefined ? { function_id } : { function_id, namespace }
}

interface CalleeFacts extends Pick<Pass, 'functionId' | 'namespace' | 'metadata'>, Pick<CallPath, 'target'> {}

const read = new WeakMap<FunctionDetail, CalleeFacts>()

/** A busy function is not read anew for each call. */
function readDetail(detail: FunctionDetail): CalleeFacts {
  const known = read.get(detail)
  if (known !== undefined) return known
  const { id: functionId, namespace } = readKey(detail.id)
  const target = toCallTarget(functionId, namespace)
  const facts = { functionId, namespace, metadata: readMcpMetadata(detail.metadata), target }
  read.set(detail, facts)
  return facts
}
