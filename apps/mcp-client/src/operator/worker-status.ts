import { InvocationError, toPublicUrl } from '@iii/sdk'
import { CommandFailure, EXIT } from '@iii/sdk/cli'
import { z } from 'zod'
import { CODES } from '../diagnostics/diagnostic.ts'
import { SERVER_STATES } from '../servers/server-status.ts'
import { STATUS_ID } from '../servers/worker-functions.ts'
import type { ClientSession } from './session.ts'

const Told = z.object({ code: z.enum(CODES).catch('malformed'), message: z.string(), subject: z.string().optional() })

const ToldTool = z.object({
  tool: z.string(),
  functionId: z.string(),
  state: z.enum(['registered', 'pending', 'denied', 'left_out']),
})

const Definition = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('must be JSON')
      return z.NEVER
    }
  })
  .pipe(z.record(z.string(), z.unknown()))

const Pending = z.object({
  kind: z.enum(['new', 'changed', 'command']),
  tool: z.object({ name: z.string(), hash: z.string(), definition: Definition }),
})

/** What the running worker says of a server. */
const RunningStatus = z.object({
  name: z.string(),
  state: z.enum(SERVER_STATES),
  since: z.string(),
  pid: z.number().optional(),
  server: z
    .object({
      name: z.string(),
      version: z.string(),
      protocolVersion: z.string(),
      capabilities: z.array(z.string()),
      instructions: z.string().optional(),
    })
    .optional(),
  tools: z.array(ToldTool),
  diagnostics: z.array(Told),
  counts: z.record(z.string(), z.number()),
  failures: z.number(),
  nextTry: z.string().optional(),
  lastFailure: Told.extend({ at: z.string() }).optional(),
  stderr: z.array(z.string()),
  pending: z.array(Pending).default([]),
})
export type RunningStatus = z.output<typeof RunningStatus>

const Answer = z.object({ servers: z.array(RunningStatus) })

/** What the running worker says, or why there is nobody to say it. */
export type Running =
  | { readonly statuses: readonly RunningStatus[]; readonly absence?: undefined }
  | { readonly absence: string }

const ASK_MS = 5_000

/** Asks the worker that runs, which starts nothing. @param server the only one that is asked for, with what waits for approval */
export async function askRunning(session: Pick<ClientSession, 'connect' | 'said'>, server?: string): Promise<Running> {
  try {
    const worker = await session.connect()
    const payload = server === undefined ? {} : { server }
    const answer = Answer.safeParse(await worker.trigger({ function_id: STATUS_ID, payload, timeoutMs: ASK_MS }))
    return answer.success ? { statuses: answer.data.servers } : { absence: toStranger(session.said.url) }
  } catch (error) {
    if (error instanceof CommandFailure) return { absence: error.message }
    if (error instanceof InvocationError && error.code === 'function_not_found') {
      return { absence: `no worker mcp-client is on the engine at ${toPublicUrl(session.said.url)}` }
    }
    // The worker does not have it: it reads another file, or has not read it again yet.
    if (server !== undefined && error instanceof InvocationError && /\[not_found\]$/.test(error.message))
      return { statuses: [] }
    throw error
  }
}

function toStranger(url: string): string {
  return `whoever answers ${STATUS_ID} on the engine at ${toPublicUrl(url)} says nothing that this version can read: is that worker of another version?`
}

/** @throws CommandFailure `unreachable` where nobody runs the servers */
export async function requireRunning(
  session: Pick<ClientSession, 'connect' | 'said'>,
  server?: string,
): Promise<readonly RunningStatus[]> {
  const running = await askRunning(session, server)
  if (running.absence === undefined) return running.statuses
  const advice =
    'only the running worker knows the tools: start it, or look at one server with `iii-mcp-client check NAME`'
  throw new CommandFailure(EXIT.unreachable, `${running.absence}; ${advice}`)
}
