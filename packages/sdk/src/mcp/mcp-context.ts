import type { LogMessage, McpPrincipal } from '@iii/protocol'
import type { Ask } from '../ask/ask.ts'
import type { Call } from '../engine/call.ts'

/** Who asks through a bridge. */
export interface McpCaller {
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** What it can be asked: `elicitation`, `sampling`, `roots`, …, as MCP has them. */
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** What a function that speaks MCP is handed beside its input. Everything of it is there in a plain call, too, and does nothing then. */
export interface McpContext {
  /**
   * Tells the client how far the call is. `progress` must grow; `total`, in the same unit, may be unknown. It may be awaited and need not be:
   * messages arrive in order and before the result. It never fails, and a function may call it as often as it likes: what comes faster
   * than it can be shown is left out but for the last.
   */
  progress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Sends the client a log message; `data` is a text or any JSON. In order, before the result, never fails. Where more than some hundred
   * wait, the rest is left out, and a last message says how many.
   */
  log(level: LogMessage['level'], data: unknown, logger?: string): Promise<void>
  readonly ask: Ask
  /**
   * Does something once, however often the function runs because it asks: the next run gets the result from here, as JSON. The key is the
   * function's own name for it.
   *
   * @throws Fault `internal` for a result that JSON cannot hold; `too_large` when the results and answers exceed 256 Ki characters.
   *
   * @example
   * const count = await once('count', () => book.count())
   */
  once<T>(key: string, work: () => T | Promise<T>): Promise<T>
  /** Fires when the client gives the call up, when it takes longer than `timeout_ms`, and when this worker shuts down. */
  readonly signal: AbortSignal
  /** Undefined when the call did not come through MCP. */
  readonly client: McpCaller | undefined
  /**
   * Whom the call is made for, where the bridge asks callers who they are. It is a claim and proves nothing by itself: any worker on the
   * engine can write one, so it is as good as the rules that keep strangers off the engine. There is never a token in it.
   */
  readonly principal: McpPrincipal | undefined
  /** The address, where the function is read as a resource. */
  readonly uri: string | undefined
  /** What the variables of its template stand for there. */
  readonly variables: Readonly<Record<string, string | string[]>>
  /** Ends the stream of the reply, so that a client which can resume comes back for the rest. */
  closeStream(): Promise<void>
  /** As a plain handler gets them. */
  readonly metadata: unknown
  readonly call: Call
}
