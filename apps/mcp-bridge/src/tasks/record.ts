import { STATE_SCOPES } from '@iii/protocol'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { RpcErrorBody, TaskStateResult } from '../mcp/rpc.ts'

/**
 * Where the bridges of a namespace keep their tasks: what each is and how it stands, and apart from that what can be large, what came of it
 * and what its client is asked.
 */
export const TASK_SCOPES = {
  tasks: STATE_SCOPES.mcp.tasks,
  results: STATE_SCOPES.mcp.taskResults,
  questions: STATE_SCOPES.mcp.taskQuestions,
} as const

const Question = z.looseObject({ method: z.string(), params: z.record(z.string(), z.unknown()).optional() })
export const TaskQuestions = z.record(z.string(), Question)

/** Milliseconds since 1970, as far as dates go. */
const Time = z.number().min(-8.64e15).max(8.64e15)

/** A task, as any bridge reads it. */
export const TaskRow = z.object({
  id: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  message: z.string().optional(),
  created_at: Time,
  updated_at: Time,
  ttl_ms: z.number(),
  /** Until when the function may run. */
  deadline_at: z.number(),
  /** The prefix of the bridge process that runs it. */
  via: z.string(),
  function_id: z.string(),
  /** Where that is, if not in the namespace of the bridge. */
  namespace: z.string().optional(),
  /** The process that has the function; undefined where it does not say. */
  worker: z.string().optional(),
  /** The function writes its result down itself. */
  keeps_result: z.boolean(),
  has_output_schema: z.boolean(),
  /** Arguments of the function, as far as there is room: with them a client asks for less than was too large. */
  takes: z.array(z.string()).optional(),
  /** The mark of whose it is; undefined for one that was begun when nobody was asked who they are. */
  owner: z.string().optional(),
  /** What the client is asked and has not answered. */
  input_requests: TaskQuestions.optional(),
})
export type TaskRow = z.infer<typeof TaskRow>

/** What came of a task: the tool's result, or the error of the protocol that is there instead. */
export type TaskOutcome = { readonly result: CallToolResult } | { readonly error: RpcErrorBody }

/** How often a client should ask. */
const POLL_INTERVAL_MS = 1_000

export function isOver({ status }: TaskRow): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

export function isExpired({ created_at, ttl_ms }: TaskRow, now: number): boolean {
  return now > created_at + ttl_ms
}

/** The facts of a task in MCP's words. */
export function formatTask(row: TaskRow): TaskStateResult {
  return {
    taskId: row.id,
    status: row.status,
    ...(row.message === undefined ? {} : { statusMessage: row.message }),
    createdAt: new Date(row.created_at).toISOString(),
    lastUpdatedAt: new Date(row.updated_at).toISOString(),
    ttlMs: row.ttl_ms,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

/** The same with all that a client asks for: open questions, or what came of it. */
export function formatDetails(row: TaskRow, outcome: TaskOutcome | undefined): TaskStateResult {
  const questions = row.status === 'input_required' ? { inputRequests: row.input_requests ?? {} } : {}
  const told = row.status === 'completed' || row.status === 'failed' ? outcome : undefined
  const reason = told !== undefined && 'error' in told ? { statusMessage: told.error.message } : {}
  return { ...formatTask(row), ...reason, ...questions, ...told }
}
