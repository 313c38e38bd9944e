import type { AllowedSkips } from './score.ts'
import type { SetName } from './suite.ts'

/** Whatever is in other sets is in these. */
const SETS = ['2025-11-25', '2026-07-28', 'pending'] as const satisfies readonly SetName[]

const UNCLAIMED = 'without the header of HTTP nothing tells a request that has no _meta from one of an older revision'

/** What the suite looks for in HTTP itself. Through a relay it would find what the relay does. */
const ABOUT_HTTP: AllowedSkips = {
  scenarios: {
    'dns-rebinding-protection': 'Host and Origin are headers of HTTP',
    'server-session-lifecycle':
      'the id of a session and its DELETE belong to HTTP: on stdio the session is the process',
    'server-sse-multiple-streams': 'a stream for each POST: on stdio there is one for all',
    'server-sse-polling': 'streams that end and are taken up again: on stdio there is one as long as the process',
    'http-header-validation': 'Mcp-Method and Mcp-Name are headers of HTTP',
    'http-custom-header-server-validation': 'x-mcp-header makes headers of HTTP of arguments',
    'tasks-request-headers': 'Mcp-Method and Mcp-Name are headers of HTTP',
  },
  checks: {
    'sep-2575-http-server-header-mismatch-400': 'MCP-Protocol-Version is a header of HTTP',
    'sep-2575-request-meta-invalid-missing-meta': UNCLAIMED,
    'sep-2575-request-meta-invalid-missing-protocol-version': UNCLAIMED,
    'sep-2575-http-server-meta-invalid-400': UNCLAIMED,
  },
}

/** What a bridge on stdio is held to. One set after the other: each session is a process that starts. */
export const OVER_STDIO = { sets: SETS, lanes: [SETS], leftOut: ABOUT_HTTP } as const
