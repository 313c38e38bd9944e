import {
  CANCEL_DESK_PREFIX,
  DEFAULT_NAMESPACE,
  type ExposureRules,
  Fault,
  type FaultCode,
  formatToolName,
  isHiddenId,
  type McpMetadata,
  type Refusal,
  readMcpMetadata,
  refuse as refuseById,
  type Via,
} from '@iii/protocol'
import { type Action, isAbsent, type TriggerRequest, type Worker } from '@iii/sdk'
import type { Directory, FunctionDetail } from './directory.ts'
import { createKnownFunctions, type Known } from './known-functions.ts'
import { readKey, toKey } from './sight.ts'

/** Why the gate stays shut. `unknown`: nobody registered the id. `unverified`: the engine did not say what it is. */
export interface Denial {
  readonly allowed: false
  readonly reason: Refusal['reason'] | 'unknown' | 'unverified'
  readonly message: string
}

/** A function that may be called, and the only way to call it. */
export interface Pass extends Callee {
  readonly allowed: true
  readonly detail: FunctionDetail
  /**
   * A pass is good for as long as what is known of the function is fresh. After that, as when a client took its time for an answer, the
   * function is looked at anew. Whoever has somebody else call it asks here first.
   *
   * @throws Fault in the words of the denial
   */
  renew(): Promise<void>
}

/** A function that may be called. */
export interface Callee {
  readonly functionId: string
  /** Where it is; undefined for the bridge's own namespace. */
  readonly namespace: string | undefined
  /** What it says of itself for MCP; `{}` where that is not known. */
  readonly metadata: McpMetadata
  /**
   * @throws Fault in the words of the denial, where what is known of it was not fresh any more; and what the engine says: `isAbsent` tells
   *   whether the function has gone since it was looked at
   */
  call(payload: unknown, options: CallOptions): Promise<unknown>
}

export interface CallOptions {
  readonly timeoutMs: number
  /** Goes beside the payload, to the handler's second argument. */
  readonly metadata: unknown
  readonly signal: AbortSignal | undefined
  /** How it is carried out other than being awaited. */
  readonly action?: Action
}

/** Every path that ends in a call of a function passes here first. */
export interface Gate {
  admit(functionId: string, via: Via): Promise<Pass | Denial>
  /** Judges many ids with as few questions to the engine as possible; none of them is called by us. */
  judge(functionIds: readonly string[], via: Via): Promise<Map<string, Denial | undefined>>
  /**
   * What stands against having a function called that the registry does not name: the registry holds it to the floor, but only the bridge
   * knows what its operator hides by id or tier. Undefined where nothing is hidden so.
   *
   * @param what asks for it, as it stands in the text: `the prompt 'x'`
   */
  judgeUnnamed(what: string): Denial | undefined
  /** Those of these ids that are registered and may be called as tools, in their order. @throws what the engine says */
  visible(functionIds: readonly string[]): Promise<string[]>
  /**
   * Tells a function something that another one names for that. It need not be a tool; the one in which our SDK hears it for all functions
   * of a worker is internal, and its id alone decides.
   *
   * @throws Fault in the words of the denial, and what the engine says
   */
  notify(functionId: string, payload: unknown, options: CallOptions): Promise<void>
  /** The engine has changed: what is known of functions may be out of date before its second is over. */
  forget(): void
}

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

  /** @returns what is known of a function that may be called */
  async function look(id: string, via: Via): Promise<Known | Denial> {
    // The floor and the operator's prefixes need nothing but the id, so that a hidden one is not even asked about.
    const byName = refuseByName(id, rules(), via)
    if (byName !== undefined) return byName
    try {
      const entry = await functions.find(id)
      if (entry === undefined) return unknown(id)
      return toDenial(refuse(id, entry.detail.metadata, rules(), via)) ?? entry
    } catch {
      return unverified(id)
    }
  }

  function pass(entry: Known, via: Via): Pass {
    const { detail } = entry
    const { id: functionId, namespace } = readKey(detail.id)
    const target = toTarget(functionId, namespace)
    let good = entry

    async function renew(): Promise<void> {
      if (functions.isFresh(good)) return
      const seen = await look(detail.id, via)
      if ('detail' in seen) good = seen
      // The call itself says in its way that nobody is there to be called.
      else if (seen.reason !== 'unknown') throw new Fault(toFaultCode(seen), seen.message)
    }

    return {
      allowed: true,
      detail,
      functionId,
      namespace,
      metadata: readMetadata(detail),
      renew,
      async call(payload, options) {
        await renew()
        try {
          return await engine.trigger({ ...target, payload, ...options })
        } catch (error) {
          if (isAbsent(error, functionId)) functions.remove(detail.id)
          throw error
        }
      },
    }
  }

  /** The metadata of those that are there. The engine describes few functions at once, and lists them all in one go. */
  async function readAll(ids: readonly string[]): Promise<Map<string, unknown>> {
    const rows = ids.length > MANY ? await functions.list() : (await functions.findAll(ids)).values()
    return new Map([...rows].map(({ id, metadata }) => [id, metadata]))
  }

  return {
    async admit(key, via) {
      const seen = await look(toOwn(key, own), via)
      return 'detail' in seen ? pass(seen, via) : seen
    },
    async judge(ids, via) {
      const visible = ids.filter((id) => refuseByName(id, rules(), via) === undefined)
      const details = await functions.findAll(visible)
      const verdicts = ids.map((id): [string, Denial | undefined] => {
        return [id, toDenial(refuse(id, details.get(id)?.metadata, rules(), via))]
      })
      return new Map(verdicts)
    },
    judgeUnnamed(what) {
      const { tier, hiddenPrefixes } = rules()
      // A prefix within the floor hides nothing that the registry would not refuse.
      const decides = tier !== undefined || hiddenPrefixes.some((prefix) => !isHiddenId(`${prefix}x`))
      return decides ? unnamed(what) : undefined
    },
    async visible(ids) {
      const metadata = await readAll(ids.filter((id) => refuseByName(id, rules(), 'tool') === undefined))
      return ids.filter((id) => metadata.has(id) && refuse(id, metadata.get(id), rules(), 'tool') === undefined)
    },
    async notify(key, payload, options) {
      const { id, namespace } = readKey(key)
      const isDesk = id.startsWith(CANCEL_DESK_PREFIX)
      const seen = isDesk ? refuseByName(key, rules(), 'prompt') : await look(key, 'prompt')
      if (seen !== undefined && 'reason' in seen) throw new Fault(toFaultCode(seen), seen.message)
      await engine.trigger({ ...toTarget(id, namespace), payload, ...options })
    },
    forget: () => functions.forget(),
  }
}

/** An address may name the bridge's own namespace, as it has to for bridges of others. */
function toOwn(key: string, own: string): string {
  const { namespace, id } = readKey(key)
  return namespace === own ? toKey({ namespace: undefined, id }) : key
}

/** Whom a call goes to. */
function toTarget(
  function_id: string,
  namespace: string | undefined,
): Pick<TriggerRequest, 'function_id' | 'namespace'> {
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

/** What can be refused without knowing the function: everything but exposure and tier, which its metadata decides. */
function refuseByName(id: string, rules: ExposureRules, via: Via): Denial | undefined {
  return toDenial(refuse(id, undefined, { ...rules, requireExpose: false, tier: undefined }, via))
}

function toDenial(refusal: Refusal | undefined): Denial | undefined {
  return refusal === undefined ? undefined : { allowed: false, ...refusal }
}

function toFaultCode({ reason }: Denial): FaultCode {
  return reason === 'unverified' ? 'unavailable' : 'forbidden'
}

function unknown(key: string): Denial {
  const { namespace, id } = readKey(key)
  const where = namespace === undefined ? 'on the engine' : `in the namespace '${namespace}'`
  return { allowed: false, reason: 'unknown', message: `Function '${id}' is not registered ${where}` }
}

function unnamed(what: string): Denial {
  const message = `The registry does not say which function is behind ${what} (it has no prompts::list), so whether this server shows it is not known; whoever runs it can update the skills worker`
  return { allowed: false, reason: 'unverified', message }
}

function unverified(key: string): Denial {
  const { id } = readKey(key)
  const message = `Function '${id}' exposure could not be verified (the engine did not answer); the call was not made`
  return { allowed: false, reason: 'unverified', message }
}

/** The gate's rules, for a function by its key: they are the same in every namespace. */
export function refuse(key: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  const { id, namespace } = readKey(key)
  const refusal = refuseById(id, metadata, rules, via)
  if (refusal?.reason !== 'acts') return refusal
  return { ...refusal, message: `${refusal.message} Call it as a tool: ${formatToolName(id, namespace)}` }
}
