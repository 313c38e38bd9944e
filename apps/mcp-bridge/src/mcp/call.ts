import { isRecord, type JsonObject, type LogLevel } from '@iii/protocol'
import { redact } from '@iii/protocol/redaction'
import type { CancelSignal, Trace } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { CallTrace } from './call-trace.ts'
import type { ToClient } from './params.ts'
import type { RpcId } from './rpc.ts'

/**
 * How a request came: within a session (revisions up to 2025-11-25), with all about the client in each request
 * (2026-07-28), or plain: neither, as a script with curl does it.
 */
export type Era = 'session' | 'stateless' | 'plain'

/** The lists of a server, which its clients are told of when they have changed. */
export const LIST_KINDS = ['tools', 'prompts', 'resources'] as const
export type ListKind = (typeof LIST_KINDS)[number]

export interface McpClient {
  readonly name: string
  readonly version: string
}

/** Who asks, within which limits, and how to reach them. The same for every transport: a room never learns which one it was. */
export interface McpCall {
  /** What its client calls the request, in notifications about it too. */
  readonly id: RpcId
  readonly era: Era
  /** Protocol revision that the reply is written in. */
  readonly revision: string
  /** Who asks. What its client says of itself below proves nothing. */
  readonly principal: Principal
  readonly client: McpClient | undefined
  /** What the client declared that it can do. */
  readonly capabilities: JsonObject
  readonly limits: CallLimits
  /** Has the client started this process, so that whatever is started for it ends with it? */
  readonly attached: boolean
  /** Whose calls of functions count together with it. */
  readonly share: Share
  /** What lasts from one request of the client to the next; undefined where nothing does. */
  readonly session: SessionState | undefined
  /** A header that repeats an argument (`Mcp-Param-NAME`), as it came; undefined where the transport has no headers. */
  readonly paramHeader: ((name: string) => string | undefined) | undefined
  /** The span that its client or transport says it belongs to, unread; it proves nothing. */
  readonly traceparent?: string | undefined
  /** The trace context in which the engine brought it, and in which the engine is called for it; undefined where another carrier did. */
  readonly carried?: Trace | undefined
  /** Aborted when nobody waits for the reply any more. */
  readonly signal: CancelSignal
  readonly reach: Reach
  /** Hears what becomes of it; undefined where nobody wants to know. */
  readonly trace?: CallTrace | undefined
}

/** Whose calls of functions count together. */
export type Share =
  /** The client that started this process: it shares with nobody, and has as many slots as all others together. */
  | { readonly kind: 'attached' }
  /** Let in by a limit of its own: a task, and what the bridge wants to know itself. */
  | { readonly kind: 'admitted' }
  | { readonly kind: 'sessionless' }
  | { readonly kind: 'session'; readonly handle: string; readonly hasFinishedARequest: () => boolean }

export interface CallLimits {
  /** The most time that a request may take, in milliseconds. */
  readonly timeoutMs: number
  /** What a list or a question to the registry may take of it. */
  readonly plainMs: number
  /** Largest reply that the transport can carry, in bytes. */
  readonly replyBytes: number
  /** It runs as a task: no reply waits for it, and it has what is left of the time of the task. */
  readonly isTask?: true
}

/** What a client has answered, and as whom; undefined where another bridge that heard it does not say. */
export interface HeardAnswer {
  readonly result: unknown
  readonly by: Principal | undefined
}

/** How to reach the client while its request runs. */
export interface Reach {
  /**
   * Sends a notification ahead of the result.
   *
   * @returns false when the client cannot be told: it takes only a plain reply, or has left. Resolves once there is room for more.
   */
  notify(...told: ToClient): Promise<boolean>
  /**
   * Asks the client and waits for its answer. Undefined where questions travel in results, and where nobody would hear them.
   *
   * @throws RpcError with the client's error, or when it has left
   */
  readonly ask: ((method: string, params: JsonObject, signal: CancelSignal) => Promise<HeardAnswer>) | undefined
  /** Ends the stream of the reply, so that the client comes back for the rest. @returns false where it could not do that */
  closeStream(): Promise<boolean>
}

/** A client that waits for one plain reply. */
export const UNREACHABLE: Reach = {
  notify: () => Promise.resolve(false),
  ask: undefined,
  closeStream: () => Promise.resolve(false),
}

/** What a client has set in its session. It outlives the bridge. */
export interface SessionState {
  /** Names the session in logs and tables; says nothing of its id. */
  readonly handle: string
  readonly logLevel: LogLevel
  readonly subscriptions: ReadonlySet<string>
  setLogLevel(level: LogLevel): Promise<void>
  /** @throws RpcError when there are too many */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
}

const MAX_NAME_LENGTH = 64
const MAX_VERSION_LENGTH = 32

/** No secret that could be seen has only these, and so few of them. */
const HARMLESS = /^(?!.*(?:bearer |basic |--))[\w .()/-]{0,18}$/i
/** Of a longer one the rest is not looked at, and not shown. */
const MAX_LOOKED_AT = 1_024

/** What a client says of itself, as short printable ASCII without secrets: it goes into logs, records and session ids, and to functions. */
export function toClient(info: unknown): McpClient | undefined {
  if (!isRecord(info)) return undefined
  const name = toLabel(info['name'], MAX_NAME_LENGTH)
  return name === '' ? undefined : { name, version: toLabel(info['version'], MAX_VERSION_LENGTH) }
}

function toLabel(value: unknown, length: number): string {
  if (typeof value !== 'string') return ''
  const text = HARMLESS.test(value) ? value : withoutSecrets(value.slice(0, MAX_LOOKED_AT))
  return text.slice(0, length).replace(/[^\x20-\x7e]/g, '?')
}

/** A name that a client made up, without the secrets that can be seen in it. */
export function withoutSecrets(name: string): string {
  return String(redact(name, { maxBytes: MAX_TOLD_BYTES })?.value ?? '')
}

const MAX_TOLD_BYTES = 65_536
