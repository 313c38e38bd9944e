import type { DeniedAccess, RecordDenial } from '../auth/denied-access.ts'
import { createAuditSums } from './audit-sums.ts'
import type { McpCall } from './call.ts'
import type { AuditMode, CallLog } from './call-log.ts'

/** What is told beside single calls: who was not let in, and how often lists and the like were asked for. */
export interface Audit {
  readonly denied: RecordDenial
  /** A request that calls nothing. */
  readonly count: (method: string, call: Pick<McpCall, 'principal'>) => void
  /** Tells what was added up. */
  close(): void
}

export interface AuditOptions {
  readonly callLog: () => Pick<CallLog, 'write' | 'tell'>
  readonly options: () => { readonly audit: AuditMode }
}

/** Who asks again and again with a wrong token writes few lines. */
const DENIED_EVERY_MS = 200
const COUNTED_EVERY_MS = 60_000

export function createAudit({ callLog, options }: AuditOptions): Audit {
  const denials = createAuditSums<DeniedAccess>({
    everyMs: DENIED_EVERY_MS,
    tell({ decision, reason: code, principal }, count, since) {
      callLog().tell({
        kind: 'auth',
        name: '',
        input: undefined,
        call: { principal, client: undefined, session: undefined, era: undefined },
        traceparent: undefined,
        startedAt: since,
        ms: 0,
        callId: undefined,
        functionId: undefined,
        namespace: undefined,
        detail: undefined,
        decision,
        outcome: 'refused',
        code,
        bytesIn: 0,
        bytesOut: 0,
        ...(count > 1 && { count }),
      })
    },
  })
  const counts = createAuditSums<{ readonly method: string; readonly principal: McpCall['principal'] }>({
    everyMs: COUNTED_EVERY_MS,
    tell({ method, principal: { id, method: auth } }, count, since) {
      callLog().write({ kind: 'sum', method, principal: id, auth, count, since: since.toISOString() }, 'requests')
    },
  })
  return {
    denied(what) {
      denials.add([what.decision, what.reason, what.principal?.id ?? ''].join('\n'), what)
    },
    count(method, { principal }) {
      if (options().audit === 'all') counts.add(`${method}\n${principal.id}`, { method, principal })
    },
    close() {
      denials.flush()
      counts.flush()
    },
  }
}
