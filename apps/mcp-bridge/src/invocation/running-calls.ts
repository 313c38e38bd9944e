import { randomUUID } from 'node:crypto'
import {
  cutUtf8,
  isRecord,
  type JsonObject,
  LOG_LEVELS,
  type LogLevel,
  type LogMessage,
  type ProgressReport,
} from '@iii/protocol'
import { createSlotMap } from '@iii/sdk'
import type { LoggingMessageNotificationParams, ProgressNotificationParams } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/principal.ts'
import { type McpCall, UNREACHABLE } from '../mcp/call.ts'
import { META } from '../mcp/era.ts'
import type { CallParams } from '../mcp/params.ts'
import { readProgressToken } from '../mcp/rpc.ts'

/** The calls of functions that are under way, by the id that the functions know them by. */
export interface RunningCalls {
  /**
   * @param params those of the request: they say what its client wants to hear of
   * @param namespace where its function is; undefined for the bridge's own
   */
  open(call: McpCall, params: CallParams, namespace: string | undefined): RunningCall
  find(callId: string): RunningCall | undefined
}

/** The client of one call, as its function reaches it. Everything arrives in the order in which it was said. */
export interface RunningCall {
  readonly id: string
  /** Where its function is; undefined for the bridge's own. */
  readonly namespace: string | undefined
  /** Whom it is made for. */
  readonly principal: Principal
  /** Names the session that it was made in. */
  readonly session: string | undefined
  /** The client gave a token for progress, and can be told before the result. */
  readonly wantsProgress: boolean
  /** @returns whether the client could be told */
  progress(report: Omit<ProgressReport, 'call_id'>): Promise<boolean>
  log(message: Omit<LogMessage, 'call_id'>): Promise<boolean>
  closeStream(): Promise<boolean>
  /** Resolves when all that was said so far is on its way: the result must not overtake it. Undefined where nothing was said. */
  settled(): Promise<unknown> | undefined
  /** The call is over: nothing that is said from now on reaches the client. */
  close(): void
}

/** A function that does not wait for its messages to be delivered may have so many under way. */
const MAX_WAITING = 256
/** A message of progress is a line that people read while they wait. */
const MAX_PROGRESS_BYTES = 4_096
/** What a client is told on the way is no place for a result, which is cut. */
const MAX_LOG_BYTES = 65_536
const MAX_LOGGER_BYTES = 256

export function createRunningCalls(): RunningCalls {
  const running = createSlotMap<string, RunningCall>()
  return {
    find: (callId) => running.get(callId),
    open(call, params, namespace) {
      const id = randomUUID()
      const opened = toRunningCall(id, call, { params, namespace })
      running.set(id, opened)
      return opened
    },
  }

  function toRunningCall(
    id: string,
    { principal, reach, session, era }: McpCall,
    { params, namespace }: { params: CallParams; namespace: string | undefined },
  ): RunningCall {
    const { _meta } = params
    const meta = isRecord(_meta) ? _meta : {}
    const token = readProgressToken(params)
    // A client that is flooded sets another one while it is.
    const level = () => toUrgency(era === 'stateless' ? meta[META.logLevel] : session?.logLevel)
    const inOrder = createQueue()
    return {
      id,
      namespace,
      principal,
      session: session?.handle,
      wantsProgress: token !== undefined && reach !== UNREACHABLE,
      async progress({ progress, total, message }) {
        if (token === undefined) return false
        const text = message && cutUtf8(message, MAX_PROGRESS_BYTES)
        const params: ProgressNotificationParams = {
          progressToken: token,
          progress,
          ...defined({ total, message: text }),
        }
        return inOrder(() => reach.notify('notifications/progress', params))
      },
      async log({ level: said, data, logger }) {
        if (LOG_LEVELS.indexOf(said) < level()) return false
        const from = logger && cutUtf8(logger, MAX_LOGGER_BYTES)
        const params: LoggingMessageNotificationParams = {
          level: said,
          ...defined({ logger: from }),
          data: toLimitedData(data ?? null),
        }
        return inOrder(() => reach.notify('notifications/message', params))
      },
      closeStream: () => inOrder(() => reach.closeStream()),
      settled: () => inOrder.settled(),
      close: () => running.delete(id),
    }
  }
}

/** How urgent a message has to be; more than any is for a client that did not ask for them. */
function toUrgency(level: unknown): number {
  const index = LOG_LEVELS.indexOf(level as LogLevel)
  return index === -1 ? LOG_LEVELS.length : index
}

/** What is too large is the beginning of a text, or of its JSON. */
function toLimitedData(data: unknown): unknown {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const cut = cutUtf8(text, MAX_LOG_BYTES)
  return cut === text ? data : cut
}

function defined(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Runs one after the other; gives up what comes while too many wait. */
function createQueue() {
  let waiting = 0
  let last: Promise<unknown> | undefined
  function add(deliver: () => Promise<boolean>): Promise<boolean> {
    if (waiting >= MAX_WAITING) return Promise.resolve(false)
    waiting += 1
    const delivered = (last === undefined ? deliver() : last.then(deliver)).catch(() => false)
    last = delivered.finally(() => {
      waiting -= 1
    })
    return delivered
  }
  return Object.assign(add, { settled: () => last })
}
