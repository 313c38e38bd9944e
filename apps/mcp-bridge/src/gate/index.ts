import {
  CANCEL_DESK_PREFIX,
  DEFAULT_NAMESPACE,
  type ExposureRules,
  Fault,
  formatToolName,
  isInternalId,
  type McpMetadata,
  type Refusal,
  readMcpMetadata,
  refuse as refuseById,
  type Via,
} from '@iii/protocol'
import { InvocationError, isAbsent, type TriggerRequest, type Worker } from '@iii/sdk'
import { answersToGrant, decide, toAccess, toStanding, type Way } from '../auth/decision.ts'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import type { Callee, Denial, Gate, Pass } from './contract.ts'
import { conceal, toFaultCode, unknown, unnamed, unverified } from './denial.ts'
import type { Directory, FunctionDetail } from './directory.ts'
import { createKnownFunctions, type Known, type KnownFunctions } from './known-functions.ts'
import { readKey, toKey } from './sight.ts'

export type { Callee, Denial, Gate, Pass } from './contract.ts'

export interface GateOptions {
  readonly engine: Pick<Worker, 'trigger'>
  readonly directory: Pick<Directory, 'list' | 'describe'>
  /** The bridge's own namespace. @default 'default' */
  readonly own?: string
  readonly rules: () => ExposureRules
  /** Told what the engine says of a function, each time it is asked; undefined when it is gone. */
  readonly onLearned: (id: string, detail: FunctionDetail | undefined) => void
  /** @default 1000 */
  readonly freshMs?: number
}

/** From so many functions on all of them are listed. */
const MANY = 64

export function createGate(options: GateOptions): Gate {
  const { engine, directory, own = DEFAULT_NAMESPACE, rules, onLearned, freshMs = 1_000 } = options
  const functions = createKnownFunctions({ directory, onLearned, freshMs })
  const { judge, look } = createJudge(functions, rules)

  /** The metadata of those that are there. The engine describes few functions at once, and lists them all in one go. */
  async function readAll(ids: readonly string[]): Promise<Map<string, unknown>> {
    const rows = ids.length > MANY ? await functions.list() : (await functions.findAll(ids)).values()
    return new Map([...rows].map(({ id, metadata }) => [id, metadata]))
  }

  return {
    async admit(key, way, principal) {
      const seen = await look(toOwn(key, own), way, principal)
      return 'detail' in seen ? createPass(seen, way, { engine, functions, judge, look }) : seen
    },
    async judge(ids, way, principal) {
      const visible = ids.filter((id) => refuseByName(id, rules(), toVia(way)) === undefined)
      const details = await functions.findAll(visible)
      const verdicts = ids.map((id): [string, Denial | undefined] => {
        const detail = details.get(id)
        if (detail === undefined && isHeld(principal)) return [id, unknown(id)]
        return [id, judge(id, detail?.metadata, way, principal)]
      })
      return new Map(verdicts)
    },
    judgeUnnamed(what, principal) {
      if (isHeld(principal)) return { ...unnamed(what), why: 'grant' }
      const { tier, hiddenPrefixes } = rules()
      // A prefix within the floor hides nothing that the registry would not refuse.
      const decides = tier !== undefined || hiddenPrefixes.some((prefix) => !isInternalId(`${prefix}x`))
      return decides ? unnamed(what) : undefined
    },
    async visible(ids, principal) {
      const metadata = await readAll(ids.filter((id) => refuseByName(id, rules(), 'tool') === undefined))
      return ids.filter((id) => metadata.has(id) && judge(id, metadata.get(id), 'tool', principal) === undefined)
    },
    async notify(key, payload, how) {
      const { id, namespace } = readKey(key)
      const isDesk = id.startsWith(CANCEL_DESK_PREFIX)
      const seen = isDesk ? refuseByName(key, rules(), 'prompt') : await look(key, 'prompt', EVERYBODY)
      if (seen !== undefined && 'reason' in seen) throw new Fault(toFaultCode(seen), seen.message)
      await engine.trigger({ ...toTarget(id, namespace), payload, ...how })
    },
    forget: () => functions.forget(),
  }
}

interface PassOptions extends Judge {
  readonly engine: Pick<Worker, 'trigger'>
  readonly functions: KnownFunctions
}

function createPass(entry: Known, way: Way, { engine, functions, judge, look }: PassOptions): Pass {
  const { detail } = entry
  const { id: functionId, namespace } = readKey(detail.id)
  const target = toTarget(functionId, namespace)
  let good = entry

  async function renew(principal: Principal): Promise<void> {
    if (!functions.isFresh(good)) {
      const seen = await look(detail.id, way, principal)
      if ('detail' in seen) good = seen
      else requireGone(seen, functionId)
    } else if (isHeld(principal)) {
      const denial = judge(detail.id, good.detail.metadata, way, principal)
      if (denial !== undefined) requireGone(denial, functionId)
    }
  }

  return {
    allowed: true,
    detail,
    functionId,
    namespace,
    metadata: readMetadata(detail),
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
  return async (payload, { principal, metadata, timeoutMs, signal, action }) => {
    await renew?.(principal)
    try {
      return await engine.trigger({ function_id, namespace, payload, metadata, timeoutMs, signal, action })
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

/** An address may name the bridge's own namespace, as it has to for bridges of others. */
function toOwn(key: string, own: string): string {
  const { namespace, id } = readKey(key)
  return namespace === own ? toKey({ namespace: undefined, id }) : key
}

/** Whom a call goes to. */
function toTarget(function_id: string, namespace: string | undefined): CallPath['target'] {
  return namespace === undefined ? { function_id } : { function_id, namespace }
}

const read = new WeakMap<FunctionDetail, McpMetadata>()

/** A busy function is not read anew for each call. */
function readMetadata(detail: FunctionDetail): McpMetadata {
  const known = read.get(detail)
  if (known !== undefined) return known
  const metadata = readMcpMetadata(detail.metadata)
  read.set(detail, metadata)
  return metadata
}

/** The rules of the bridge, and then the grant of whoever asks. */
interface Judge {
  /** @returns why a function may not be used, by what it says of itself */
  judge(key: string, metadata: unknown, way: Way, principal: Principal): Denial | undefined
  /** @returns what is known of a function that may be used. Never rejects */
  look(key: string, way: Way, principal: Principal): Promise<Known | Denial>
}

function createJudge(functions: KnownFunctions, rules: () => ExposureRules): Judge {
  function judge(key: string, metadata: unknown, way: Way, principal: Principal): Denial | undefined {
    const refusal = refuseKey(key, metadata, rules(), toVia(way))
    if (!isHeld(principal)) return toDenial(refusal)
    if (refusal !== undefined && refusal.reason !== 'acts') return conceal(key, refusal.reason)
    const standing = toStanding(principal, Date.now())
    const access = toAccess(readKey(key).id, metadata)
    if (standing === undefined || decide(standing, access, way) === 'hidden') return conceal(key, 'grant')
    return toDenial(refusal)
  }

  async function lookForAll(key: string, way: Way, principal: Principal): Promise<Known | Denial> {
    // The floor and the operator's prefixes need nothing but the id, so that a hidden one is not even asked about.
    const byName = refuseByName(key, rules(), toVia(way))
    if (byName !== undefined) return byName
    const entry = await functions.find(key)
    if (entry === undefined) return unknown(key)
    return judge(key, entry.detail.metadata, way, principal) ?? entry
  }

  /** What is concealed takes one question to the engine, as what is not there does: the time tells nothing either. */
  async function lookForOne(key: string, way: Way, principal: Principal): Promise<Known | Denial> {
    const byName = refuseByName(key, rules(), toVia(way))
    if (byName !== undefined) {
      await functions.findAnew(key)
      return judge(key, undefined, way, principal) ?? unknown(key)
    }
    const wasKnown = functions.isKnown(key)
    const entry = await functions.find(key)
    if (entry === undefined) return unknown(key)
    const denial = judge(key, entry.detail.metadata, way, principal)
    if (denial?.why !== undefined && wasKnown) await functions.findAnew(key)
    return denial ?? entry
  }

  return {
    judge,
    look: (key, way, principal) =>
      (isHeld(principal) ? lookForOne : lookForAll)(key, way, principal).catch(() => unverified(key)),
  }
}

/** The gate's rules, for a function by its key: they are the same in every namespace. */
export function refuseKey(key: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  const { id, namespace } = readKey(key)
  const refusal = refuseById(id, metadata, rules, via)
  if (refusal?.reason !== 'acts') return refusal
  return { ...refusal, message: `${refusal.message} Call it as a tool: ${formatToolName(id, namespace)}` }
}

/** What can be refused without knowing the function: everything but exposure and tier, which its metadata decides. */
function refuseByName(id: string, rules: ExposureRules, via: Via): Denial | undefined {
  return toDenial(refuseKey(id, undefined, { ...rules, requireExpose: false, tier: undefined }, via))
}

function toDenial(refusal: Refusal | undefined): Denial | undefined {
  return refusal === undefined ? undefined : { allowed: false, ...refusal }
}

/** The one whom nobody asked who they are never has a grant. */
function isHeld(principal: Principal): boolean {
  return principal.method !== 'off' && answersToGrant(principal)
}

function toVia(way: Way): Via {
  return way === 'aid' ? 'prompt' : way
}
