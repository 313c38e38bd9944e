import type { Ending } from '@iii/sdk/process-group'
import type { Code } from '../diagnostics/diagnostic.ts'
import type { Breach } from '../transport/server-transport.ts'

/** How a session ended: the server broke off, or its process did. */
export type SessionEnd =
  | { readonly kind: 'broken'; readonly why: Breach }
  | { readonly kind: 'process'; readonly ending: Ending }

type Explained = [code: Code, message: string]

const BREACHES: Readonly<Record<Breach, Explained>> = {
  message_too_large: [
    'message_too_large',
    'It wrote a line that is longer than limits.message_bytes; raise that if its results are really so large',
  ],
  stdout_garbage: [
    'stdout_garbage',
    'It writes to stdout what is no MCP message, and too much of it; a server logs to stderr. Is the command an MCP server?',
  ],
  stdin_closed: ['exited', 'It closed its standard input, over which it is asked'],
  stdout_closed: ['exited', 'It closed its standard output, over which it has to answer'],
}

const NOT_STARTED = {
  not_found: 'command_not_found',
  not_executable: 'not_executable',
  cwd_missing: 'cwd_missing',
  other: 'exited_before_initialize',
} as const

/** What is said of it; before the handshake it is another thing than after it. */
export function toDiagnostic(end: SessionEnd, when: 'before_initialize' | 'later'): Explained {
  if (end.kind === 'broken') return BREACHES[end.why]
  const { ending } = end
  if (ending.kind === 'not_started') return [NOT_STARTED[ending.reason], ending.message]
  const how = ending.kind === 'exit' ? `exit code ${ending.code}` : `signal ${ending.signal}`
  return when === 'later'
    ? ['exited', `Its process ended (${how})`]
    : ['exited_before_initialize', `Its process ended before it answered \`initialize\` (${how})`]
}
