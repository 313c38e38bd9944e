import type { CallOutcome, JsonObject } from '@iii/protocol'
import { type Logger, logLater } from '@iii/sdk'
import { toJsonBytes } from '@iii/sdk/call-feed'
import { type McpCall, withoutSecrets } from './call.ts'
import type { CallTrace, GateDecision, JudgedFunction, RequestTrace } from './call-trace.ts'
import type { EndedCall, FollowedCall } from './ended-call.ts'
import { type McpResult, RPC, type RpcError } from './rpc.ts'

/** What is written into the log of what clients do: nothing, what was denied, each call as well, and sums of all the rest. */
export const AUDIT_MODES = ['off', 'denials', 'calls', 'all'] as const
export type AuditMode = (typeof AUDIT_MODES)[number]

/** Follows calls from their beginning to their end, and writes a line for each: who called what, and how it went; never what was said. */
export interface CallLog {
  /** @returns undefined where nobody wants to know */
  follow(asked: FollowedCall): RequestTrace | undefined
  /** Writes a line that belongs to the audit. */
  write(fields: object, message: string): void
  /** Writes a line of it where it is wanted, and tells it whoever is bound. */
  tell(ended: EndedCall): void
}

export interface CallLogOptions {
  readonly log: Pick<Logger, 'info'>
  readonly options: () => { readonly audit: AuditMode }
  /** Tells this process from all others. */
  readonly boot: string
  /** The function that a key names, and where it is. */
  readonly readKey: (key: string) => { readonly id: string; readonly namespace: string | undefined }
  /** Told of a read that calls no function. */
  readonly count: (method: string, call: McpCall) => void
  /** Hears of calls as well, while it wants to. */
  readonly feed: { readonly isHeard: boolean; add(ended: EndedCall): void }
}

const MAX_NAME_LENGTH = 256

export function createCallLog({ log, options, boot, readKey, count, feed }: CallLogOptions): CallLog {
  let seq = 0

  /** Whoever finds two lines of one `boot` with a gap between these knows that some are missing. */
  function nextSeq(): number {
    seq += 1
    return seq
  }

  function write(fields: object, message: string): void {
    log.info({ audit: true, seq: nextSeq(), boot, ...fields }, message)
  }

  /** Every call pays for its line, so it is made when it is written, which is after the reply. */
  function tellLater({ kind, decision }: Told, makeEnded: () => EndedCall): void {
    const { audit: wanted } = options()
    const heard = feed.isHeard ? makeEnded() : undefined
    const toEnded = heard === undefined ? makeEnded : () => heard
    if (wanted !== 'off' && (wanted !== 'denials' || isDenied(decision))) {
      const seq = nextSeq()
      logLater(log, () => toFields(toEnded(), seq, boot), TITLES[kind])
    }
    if (heard !== undefined) feed.add(heard)
  }

  return {
    write,
    tell: (ended) => tellLater(ended, () => ended),
    follow(asked) {
      return options().audit === 'off' && !feed.isHeard ? undefined : createTrace(asked, { tellLater, count, readKey })
    },
  }
}

const TITLES: Readonly<Record<EndedCall['kind'], string>> = {
  tool: 'tool call',
  prompt: 'prompt',
  section: 'resource',
  task: 'task',
  auth: 'denied',
}

/** Undefined members are left out by the log. Every call pays for this object, so it is made in one piece. */
function toFields(ended: EndedCall, seq: number, boot: string): object {
  const { kind, name, call, functionId, namespace, decision, outcome, code, ms, traceparent, count, why } = ended
  const { principal, client, session, era } = call
  return {
    audit: true,
    seq,
    boot,
    kind,
    count,
    principal: principal?.id,
    auth: principal?.method,
    issuer: principal?.issuer,
    client: client?.name,
    era,
    session: session?.handle,
    call_id: ended.callId,
    tool: kind === 'auth' ? undefined : name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    function_id: functionId,
    namespace,
    decision,
    outcome,
    code,
    why,
    ms,
    bytes_in: ended.bytesIn,
    bytes_out: ended.bytesOut,
    trace_id: toTraceId(traceparent),
  }
}

/** @param traceparent one of ours */
export function toTraceId(traceparent: string | undefined): string | undefined {
  return traceparent?.split('-')[1]
}

/** A call that has begun, or the task that it goes on as. */
interface Begun extends Omit<FollowedCall, 'kind'> {
  readonly kind: EndedCall['kind']
}

interface Follower extends Pick<CallLogOptions, 'readKey' | 'count'> {
  /** Hears of the call when it is over, unless it is a resource that no function renders; all of it is said when somebody asks. */
  tellLater(ended: Told, toEnded: () => EndedCall): void
}

/** What says whether anybody wants to hear of it. */
type Told = Pick<EndedCall, 'kind' | 'decision'>

function createTrace(begun: Begun, follower: Follower): RequestTrace {
  const facts: Facts = {}
  const { signal } = begun.call
  const end = startClock(begun, facts, follower)
  return Object.assign(listen(facts, begun, follower), {
    answered(result: McpResult, text: string) {
      end(signal.aborted ? 'given_up' : toOutcome(result, facts), Buffer.byteLength(text))
    },
    refused({ code }: RpcError) {
      const isReached = facts.callId !== undefined && code !== RPC.overloaded
      if (code === RPC.overloaded && !isDenied(facts.decision)) facts.decision = 'limit'
      facts.code ??= String(code)
      end(signal.aborted ? 'given_up' : isReached ? 'error' : 'refused', 0)
    },
  })
}

interface Facts {
  callId?: string
  functionId?: string
  namespace?: string | undefined
  detail?: JudgedFunction
  decision?: EndedCall['decision']
  code?: string | undefined
  why?: string | undefined
}

function isDenied(decision: EndedCall['decision']): boolean {
  return decision !== undefined && decision !== 'allow'
}

function listen(facts: Facts, begun: Begun, follower: Follower): CallTrace {
  return {
    leadsTo(key, decision) {
      const { id, namespace } = follower.readKey(key)
      facts.functionId = id
      facts.namespace = namespace
      facts.decision = toDecision(decision)
      if (decision.allowed) facts.detail = decision.detail
      else Object.assign(facts, { code: decision.reason, why: decision.why })
    },
    invoked(callId) {
      facts.callId ??= callId
    },
    failed(code) {
      facts.code = code
    },
    task() {
      const asTask: Begun = { ...begun, kind: 'task' }
      // The two records are told apart by their kind, and belong together by their call.
      const end = startClock(asTask, facts, follower)
      return {
        ...listen(facts, asTask, follower),
        ended(outcome, bytes, code) {
          facts.code ??= code
          end(outcome, bytes)
        },
      }
    },
  }
}

/** What nobody registered was denied to nobody. */
function toDecision(decision: GateDecision): EndedCall['decision'] {
  if (decision.allowed) return 'allow'
  return decision.reason === 'unknown' && decision.why === undefined ? undefined : 'hidden'
}

function startClock(begun: Begun, facts: Facts, { tellLater, count }: Follower) {
  const startedAt = Date.now()
  const start = performance.now()
  return (outcome: CallOutcome, bytesOut: number) => {
    const { callId, functionId, namespace, detail, decision, code, why } = facts
    if (begun.kind === 'section' && functionId === undefined) return count('resources/read', begun.call)
    const ms = Math.round(performance.now() - start)
    const told = isExplained(outcome, facts) ? undefined : code
    // Each member by its name, see `toMcpCall`.
    const toEnded = (): EndedCall => ({
      kind: begun.kind,
      name: begun.kind === 'section' || detail === undefined ? toToldName(begun.name) : begun.name,
      input: begun.input,
      call: begun.call,
      traceparent: begun.traceparent,
      startedAt: new Date(startedAt),
      ms,
      callId,
      functionId: functionId === undefined || detail !== undefined ? functionId : toToldName(functionId),
      namespace,
      detail,
      decision,
      outcome,
      code: told,
      why,
      bytesIn: toJsonBytes(begun.input),
      bytesOut,
    })
    tellLater({ kind: begun.kind, decision }, toEnded)
  }
}

/** Something that could be a secret stands in it. */
const SUSPICIOUS = /[=@]|[\w-]{19}/

/** An address may have a secret in it, and so may what a client asks for as if it were a tool. */
function toToldName(name: string): string {
  return SUSPICIOUS.test(name) ? withoutSecrets(name) : name
}

/** Whether the outcome says it all. What became of a call that its client gave up nobody knows, but that it was denied. */
function isExplained(outcome: CallOutcome, facts: Facts): boolean {
  return outcome === 'ok' || (outcome === 'given_up' && !isDenied(facts.decision))
}

function toOutcome(result: McpResult, facts: Facts): CallOutcome {
  const { resultType, isError } = result as JsonObject
  if (resultType === 'input_required' || resultType === 'task') return resultType
  if (isError !== true) return 'ok'
  return isDenied(facts.decision) || facts.code === 'unknown' ? 'refused' : 'error'
}
