import { type ExposureRules, type McpMetadata, type Refusal, readMcpMetadata, refuse, type Via } from '@iii/protocol'
import type { Action, Worker } from '@iii/sdk'
import { isAbsent } from './absent.ts'
import type { Directory, FunctionDetail } from './directory.ts'

/** Why the gate stays shut. `unknown`: nobody registered the id. `unverified`: the engine did not say what it is. */
export interface Denial {
  readonly allowed: false
  readonly reason: Refusal['reason'] | 'unknown' | 'unverified'
  readonly message: string
}

/** A function that may be called, and the only way to call it. */
export interface Pass {
  readonly allowed: true
  readonly detail: FunctionDetail
  /** What the function says of itself for MCP. */
  readonly metadata: McpMetadata
  /** @throws what the engine says; `isAbsent` tells whether the function has gone since it was looked at */
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
  /** The engine has changed: what is known of functions may be out of date before its second is over. */
  forget(): void
}

export interface GateOptions {
  readonly engine: Pick<Worker, 'trigger'>
  readonly directory: Directory
  readonly rules: () => ExposureRules
  /** Told what the engine says of a function, each time it is asked; undefined when it is gone. */
  readonly onLearned: (id: string, detail: FunctionDetail | undefined) => void
  /** @default 1000 */
  readonly freshMs?: number
}

interface Known {
  readonly detail: FunctionDetail
  readonly askedAt: number
}

const MAX_KNOWN = 2_000

export function createGate({ engine, directory, rules, onLearned, freshMs = 1_000 }: GateOptions): Gate {
  const known = new Map<string, Known>()
  const asking = new Map<string, Promise<FunctionDetail | undefined>>()

  function fresh(id: string): FunctionDetail | undefined {
    const entry = known.get(id)
    return entry !== undefined && performance.now() - entry.askedAt <= freshMs ? entry.detail : undefined
  }

  /** Never remembers that a function is missing: it may come up at any moment. */
  function remember(id: string, detail: FunctionDetail | undefined, askedAt: number): void {
    if (known.size >= MAX_KNOWN) known.clear()
    if (detail === undefined) known.delete(id)
    else known.set(id, { detail, askedAt })
    onLearned(id, detail)
  }

  async function ask(ids: readonly string[]): Promise<Map<string, FunctionDetail>> {
    // The moment of the question counts, not of the answer: what it says may have changed on the way.
    const askedAt = performance.now()
    const details = await directory.describe(ids)
    for (const id of ids) remember(id, details.get(id), askedAt)
    return details
  }

  function askOne(id: string): Promise<FunctionDetail | undefined> {
    const running = asking.get(id)
    if (running !== undefined) return running
    const question = ask([id])
      .then((details) => details.get(id))
      .finally(() => asking.delete(id))
    asking.set(id, question)
    return question
  }

  function pass(detail: FunctionDetail): Pass {
    return {
      allowed: true,
      detail,
      metadata: readMetadata(detail),
      async call(payload, options) {
        try {
          return await engine.trigger({ function_id: detail.id, payload, ...options })
        } catch (error) {
          if (isAbsent(error, detail.id)) remember(detail.id, undefined, performance.now())
          throw error
        }
      },
    }
  }

  return {
    async admit(id, via) {
      // The floor and the operator's prefixes need nothing but the id, so that a hidden one is not even asked about.
      const byName = refuseByName(id, rules(), via)
      if (byName !== undefined) return byName
      let detail = fresh(id)
      if (detail === undefined) {
        try {
          detail = await askOne(id)
        } catch {
          return unverified(id)
        }
      }
      if (detail === undefined) return unknown(id)
      return toDenial(refuse(id, detail.metadata, rules(), via)) ?? pass(detail)
    },
    async judge(ids, via) {
      const visible = ids.filter((id) => refuseByName(id, rules(), via) === undefined)
      const remembered = new Map(visible.map((id) => [id, fresh(id)]))
      const stale = visible.filter((id) => remembered.get(id) === undefined)
      const asked = stale.length === 0 ? undefined : await ask(stale)
      const verdicts = ids.map((id): [string, Denial | undefined] => {
        const detail = remembered.get(id) ?? asked?.get(id)
        return [id, toDenial(refuse(id, detail?.metadata, rules(), via))]
      })
      return new Map(verdicts)
    },
    forget: () => known.clear(),
  }
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

function unknown(id: string): Denial {
  return { allowed: false, reason: 'unknown', message: `Function '${id}' is not registered on the engine` }
}

function unverified(id: string): Denial {
  const message = `Function '${id}' exposure could not be verified (the engine did not answer); the call was not made`
  return { allowed: false, reason: 'unverified', message }
}
