/** Why nothing answers, and what somebody at this machine can do about it. */
export interface AwayReason {
  readonly what: string
  /** A command or advice; empty where there is none. */
  readonly todo: string
}

/** A request that failed: with which status, and what was said; no status where nobody answered. */
export interface FailedRequest {
  readonly status?: number
  readonly said?: string | undefined
}

const NOT_FOUND = 404

/** @param failed the last request that failed. The client, which chooses a revision first, tells only that it found none. */
export function toAwayReason(error: unknown, failed: FailedRequest | undefined): AwayReason {
  if (failed === undefined) return { what: quoteError(error), todo: '' }
  const { status, said } = failed
  if (status === undefined) {
    return { what: 'Nothing answers at this address.', todo: 'Is the engine running? Start it, or look at its log.' }
  }
  if (status === NOT_FOUND) {
    return { what: 'The engine answers, but no worker mcp does.', todo: 'Start it: npx -y @iii/mcp --no-stdio' }
  }
  return { what: said ?? `The server answers with status ${status}.`, todo: 'npx -y @iii/mcp doctor says more.' }
}

/** What a reply that is an error says, if it is one of JSON-RPC. */
export async function readError(reply: Response): Promise<FailedRequest> {
  const { status } = reply
  const body = (await reply.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  const said = body?.error?.message
  return { status, said: typeof said === 'string' ? said : undefined }
}

/** Whatever went wrong, in the words of whoever said it. */
export function quoteError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
