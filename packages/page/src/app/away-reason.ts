import { SdkHttpError } from '@modelcontextprotocol/client'

/** Why nothing answers, and what somebody at this machine can do about it. */
export interface AwayReason {
  readonly what: string
  /** A command or advice; empty where there is none. */
  readonly todo: string
}

const NOT_FOUND = 404
const UNAVAILABLE = 503

/** What keeps the page from the server. A browser says of a server that is not there only that a request failed. */
export function toAwayReason(error: unknown): AwayReason {
  if (error instanceof SdkHttpError) return toRefusal(error)
  if (error instanceof TypeError) {
    return { what: 'Nothing answers at this address.', todo: 'Is the engine running? Start it, or look at its log.' }
  }
  return { what: explain(error), todo: '' }
}

function toRefusal(error: SdkHttpError): AwayReason {
  if (error.status === NOT_FOUND) {
    return { what: 'The engine answers, but no worker mcp does.', todo: 'Start it: npx -y @iii/mcp --no-stdio' }
  }
  if (error.status === UNAVAILABLE) return { what: explain(error), todo: 'npx -y @iii/mcp doctor says more.' }
  return { what: explain(error), todo: '' }
}

/** Whatever went wrong, in the words of whoever said it. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
