import {
  CANCEL_DESK_PREFIX,
  DEFAULT_NAMESPACE,
  type ExposureRules,
  Fault,
  formatToolName,
  isInternalId,
  MAX_ID_BYTES,
  type Refusal,
  refuse as refuseById,
  type Via,
} from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { answersToGrant, decide, toAccess, toPresent, type Way } from '../auth/decision.ts'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import type { Denial, Gate } from './contract.ts'
import { conceal, toFaultCode, unknown, unnamed, unverified } from './denial.ts'
import type { Directory, FunctionDetail } from './directory.ts'
import { createKnownFunctions, type Known, type KnownFunctions } from './known-functions.ts'
import { createPass, toCallTarget } from './pass.ts'
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
const MAX_VERDICTS = 2_000
/** Of a function's id and the namespace before it. */
const MAX_KEY_LENGTH = 2 * MAX_ID_BYTES

export function createGate(options: GateOptions): Gate {
  const { engine, directory, own = DEFAULT_NAMESPACE, rules, onLearned, freshMs = 1_000 } = options
  const functions = createKnownFunctions({ directory, onLearned, freshMs })
  const { judge, judgeAgain, look, lookNow } = createJudge(functions, rules)

  /** The metadata of those that are there. The engine describes few functions at once, and lists them all in one go. */
  async function readAll(ids: readonly string[]): Promise<Map<string, unknown>> {
    const rows = ids.length > MANY ? await functions.list() : (await functions.findAll(ids)).values()
    return new Map([...rows].map(({ id, metadata }) => [id, metadata]))
  }

  return {
    async admit(key, way, principal) {
      const sought = toOwn(key, own)
      const seen = lookNow(sought, way, principal) ?? (await look(sought, way, principal))
      return 'detail' in seen ? createPass(seen, way, { engine, functions, judgeAgain, look }) : seen
    },
    async judge(ids, way, principal) {
      const visible = ids.filter((id) => refuseByName(id, rules(), toVia(way)) === undefined)
      const details = await functions.findAll(visible)
      const isHeld = isHeldNow(principal)
      const verdicts = ids.map((id): [string, Denial | undefined] => {
        const detail = details.get(id)
        if (detail === undefined && isHeld) return [id, unknown(id)]
        return [id, judge(id, detail?.metadata, way, principal)]
      })
      return new Map(verdicts)
    },
    judgeUnnamed(what, principal) {
      if (isHeldNow(principal)) return { ...unnamed(what), why: 'grant' }
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
      await engine.trigger({ ...toCallTarget(id, namespace), payload, ...how })
    },
    forget: () => functions.forget(),
  }
}

/** An address may name the bridge's own namespace, as it has to for bridges of others. */
function toOwn(key: string, own: string): string {
  const { namespace, id } = readKey(key)
  return namespace === own ? toKey({ namespace: undefined, id }) : key
}

/** Is somebody held to a grant at this moment, whatever was so when the call began? */
function isHeldNow(principal: Principal): boolean {
  return answersToGrant(toPresent(principal))
}

/** The rules of the bridge, and then the grant of whoever asks. */
interface Judge {
  /** @returns why a function may not be used, by what it says of itself */
  judge(key: string, metadata: unknown, way: Way, principal: Principal): Denial | undefined
  /** @returns why somebody who has a grant may not use a function any more; the rules are judged when it is looked at */
  judgeAgain(entry: Known, way: Way, principal: Principal): Denial | undefined
  /** @returns what is known of a function that may be used. Never rejects */
  look(key: string, way: Way, principal: Principal): Promise<Known | Denial>
  /** The same where that takes no question to the engine, and its time tells nothing. */
  lookNow(key: string, way: Way, principal: Principal): Known | Denial | undefined
}

function createJudge(functions: KnownFunctions, rules: () => ExposureRules): Judge {
  const verdicts = createVerdicts(rules)

  function judge(key: string, metadata: unknown, way: Way, principal: Principal): Denial | undefined {
    const refusal = verdicts(key, metadata, toVia(way))
    const now = toPresent(principal)
    if (!answersToGrant(now)) return toDenial(refusal)
    if (refusal !== undefined && refusal.reason !== 'acts') return conceal(key, refusal.reason)
    if (decide(now, toAccess(readKey(key).id, metadata), way) === 'hidden') return conceal(key, 'grant')
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

  /**
   * What is concealed takes one question to the engine, as what is not there does, and one whose answer is as short: the time tells nothing
   * either.
   */
  async function lookForOne(key: string, way: Way, principal: Principal): Promise<Known | Denial> {
    const byName = refuseByName(key, rules(), toVia(way))
    if (byName !== undefined) {
      await functions.findAnew(toNobodys(key))
      return judge(key, undefined, way, principal) ?? unknown(key)
    }
    const wasKnown = functions.fresh(key) !== undefined
    const entry = await functions.find(key)
    if (entry === undefined) return unknown(key)
    const denial = judge(key, entry.detail.metadata, way, principal)
    if (denial?.why !== undefined && wasKnown) await functions.findAnew(toNobodys(key))
    return denial ?? entry
  }

  return {
    judge,
    judgeAgain: ({ detail: { id, metadata } }, way, principal) =>
      isHeldNow(principal) ? judge(id, metadata, way, principal) : undefined,
    // A rule that refuses by the name alone refuses what is known as well.
    lookNow(key, way, principal) {
      const entry = functions.fresh(key)
      const denial = entry && judge(key, entry.detail.metadata, way, principal)
      return denial !== undefined && isHeldNow(principal) ? undefined : (denial ?? entry)
    },
    look: (key, way, principal) =>
      (isHeldNow(principal) ? lookForOne : lookForAll)(key, way, principal).catch(() => unverified(key)),
  }
}

/** The key of a function that nobody has, as long as another one. */
function toNobodys(key: string): string {
  return `${key.slice(0, -1)}?`
}

interface Verdict {
  readonly rules: ExposureRules
  readonly metadata: unknown
  readonly refusal: Refusal | undefined
}

/** A busy function is judged anew when the rules or what is known of it are others, and not for each call: the same has the same verdict. */
function createVerdicts(rules: () => ExposureRules) {
  const kept = {
    tool: new Map<string, Verdict>(),
    section: new Map<string, Verdict>(),
    prompt: new Map<string, Verdict>(),
  }
  return (key: string, metadata: unknown, via: Via): Refusal | undefined => {
    const now = rules()
    // No function has such a name: what a client made up is not kept.
    if (key.length > MAX_KEY_LENGTH) return refuseKey(key, metadata, now, via)
    const known = kept[via].get(key)
    if (known !== undefined && known.rules === now && known.metadata === metadata) return known.refusal
    const refusal = refuseKey(key, metadata, now, via)
    if (kept[via].size >= MAX_VERDICTS) kept[via].clear()
    kept[via].set(key, { rules: now, metadata, refusal })
    return refusal
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

function toVia(way: Way): Via {
  return way === 'aid' ? 'prompt' : way
}
