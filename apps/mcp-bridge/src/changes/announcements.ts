import { Fault, isRecord, MCP_CHANGED, McpChange, STATE_SCOPES } from '@iii/protocol'
import { createStateScope, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { createPacer } from './pacer.ts'

/** Where all bridges of an engine hear what was announced to one of them. Old rows mean nothing. */
export const CHANGES_SCOPE = STATE_SCOPES.mcp.changes

/**
 * `mcp::changed`: one bridge of an engine answers it, all hear of it, through a write to engine state. Where the engine has no state,
 * the one that answers is the one that hears.
 */
export interface Announcements {
  /** Takes in a write to the scope that some bridge made. */
  observe(event: unknown): void
  close(): void
}

export interface AnnouncementsOptions {
  readonly worker: Pick<Worker, 'registerFunction' | 'trigger' | 'instance'>
  readonly timeoutMs: number
  readonly onChange: (change: McpChange) => void
}

/** One row, overwritten each time: it is the event of the write that counts. */
const KEY = 'latest'
/** Different announcements that wait for their write. */
const MAX_WAITING = 1_000

export function serveAnnouncements({ worker, timeoutMs, onChange }: AnnouncementsOptions): Announcements {
  const rows = createStateScope(worker, CHANGES_SCOPE, { timeoutMs })
  const waiting = new Map<string, McpChange>()
  const pacer = createPacer(() => {
    const changes = [...waiting.values()]
    waiting.clear()
    // Without a store there is nobody else to tell.
    rows.set(KEY, { by: worker.instance, at: Date.now(), changes }).catch(() => undefined)
  })

  worker.registerFunction(
    MCP_CHANGED,
    (change: McpChange) => {
      const key = JSON.stringify(change)
      if (waiting.size >= MAX_WAITING && !waiting.has(key)) {
        throw new Fault(
          'overloaded',
          `Too many announcements at once: ${MAX_WAITING} wait already; try again in a second`,
        )
      }
      waiting.set(key, change)
      pacer.hint(KEY)
      onChange(change)
      return {}
    },
    {
      description: 'Tells the MCP clients of every bridge on this engine to list again, or to read one resource again.',
      request_format: McpChange,
      response_format: z.object({}),
      shared: true,
      // Anybody may announce, also one who knows more kinds of changes.
      unknownKeys: 'ignore',
    },
  )

  return {
    observe(event) {
      const row = isRecord(event) ? event['new_value'] : undefined
      if (!isRecord(row) || row['by'] === worker.instance || !Array.isArray(row['changes'])) return
      for (const change of row['changes']) {
        const { data } = McpChange.safeParse(change)
        if (data !== undefined) onChange(data)
      }
    },
    close: () => pacer.close(),
  }
}
