/** A tool as a server lists it: what is pinned, before anything of it is cleaned. */
export interface ReceivedTool {
  /** As the server gives it. */
  readonly name: string
  /** SHA-256 in hex of the canonical JSON of name, title, description, both schemas and annotations, as received but for secrets. */
  readonly hash: string
  /** The whole entry of the list, as received but for secrets of the server: it is kept in a file, and shown. */
  readonly definition: Readonly<Record<string, unknown>>
}

/** A tool as it is registered on the engine. */
export interface ToolFunction {
  /** As the server gives it. */
  readonly tool: string
  /** `NAME::TOOL` */
  readonly id: string
  readonly description: string
  readonly request_format: Readonly<Record<string, unknown>>
  readonly response_format: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  /** So long a call may take in all. */
  readonly timeoutMs: number
}
