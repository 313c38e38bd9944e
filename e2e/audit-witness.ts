import { MCP_ON_CALL, McpCallBatch } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { until } from './until.ts'

export type AuditRow = Readonly<Record<string, unknown>>

/** Who hears what bridges tell of calls and denials, and reads what they log of them. */
export interface AuditWitness {
  /** Everything that was told so far. */
  readonly batches: readonly McpCallBatch[]
  /** @param functionId what is called with it, of this worker */
  listen(worker: Worker, functionId: string): void
  /** What was told so far that has these members. */
  told(what: AuditRow): AuditRow[]
  /** Waits for something to be told, and to be in the log. @param lines of the log so far */
  untilRecorded(lines: () => readonly string[], what: AuditRow): Promise<{ line: AuditRow[]; event: AuditRow[] }>
}

export function createAuditWitness(): AuditWitness {
  const batches: McpCallBatch[] = []
  const told = (what: AuditRow) => batches.flatMap(({ calls }) => calls as AuditRow[]).filter(isLike(what))
  return {
    batches,
    told,
    listen(worker, functionId) {
      const hear = (event: unknown) => {
        batches.push(McpCallBatch.parse(event))
        return {}
      }
      worker.registerFunction(functionId, hear, { metadata: { internal: true } })
      worker.registerTrigger({ type: MCP_ON_CALL, function_id: functionId, config: {} })
    },
    untilRecorded(lines, what) {
      const find = () => {
        const [line, event] = [readAuditLines(lines(), what), told(what)]
        return line.length > 0 && event.length > 0 && { line, event }
      }
      return until(async () => find(), { what: `${JSON.stringify(what)} to be in the log, and told` })
    },
  }
}

const isLike = (what: AuditRow) => (row: AuditRow) => Object.entries(what).every(([key, value]) => row[key] === value)

/** The lines of a log that belong to the audit and have these members. */
export function readAuditLines(lines: readonly string[], what: AuditRow): AuditRow[] {
  const rows = lines.filter((line) => line.includes('"audit":true')).map((line) => JSON.parse(line) as AuditRow)
  return rows.filter(isLike(what))
}

/** How many denials lines or records stand for. */
export const sumOfRows = (rows: readonly AuditRow[]) => rows.reduce((sum, row) => sum + Number(row['count'] ?? 1), 0)
