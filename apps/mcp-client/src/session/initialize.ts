import { isRecord, toPlainMessage, toVisible } from '@iii/protocol'
import { messageOf } from '@iii/sdk'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Clock } from '../clock.ts'
import { ServerFailure } from '../diagnostics/diagnostic.ts'
import type { ServerAnswer } from '../transport/incoming.ts'
import { createDeferred } from './deferred.ts'
import { NEVER_MS } from './request.ts'
import { type SessionEnd, toDiagnostic } from './session-end.ts'

export interface InitializeOptions {
  readonly client: Client
  readonly transport: Transport
  readonly ended: Promise<SessionEnd>
  readonly clock: Clock
  readonly startMs: number
  /** What the server has answered, when it has. */
  answer(): ServerAnswer | undefined
  /** Lines on stdout that were no messages, of this server at any time. */
  skippedLines(): number
  clean(text: string): string
}

/** Those that the official client takes, but for one that was never stable. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/**
 * @returns the result of `initialize`, as the server gave it
 * @throws ServerFailure that says why the handshake came to nothing
 */
export async function initialize(options: InitializeOptions): Promise<unknown> {
  const { client, transport, ended, clock, startMs, answer, skippedLines, clean } = options
  const late = createDeferred<never>()
  const skippedBefore = skippedLines()
  const cancelTimer = clock.after(startMs, () => late.reject(startedTooLate(startMs, skippedLines() > skippedBefore)))
  const gone = ended.then((end) => {
    throw new ServerFailure(...toDiagnostic(end, 'before_initialize'))
  })
  // Whoever loses the race is not waited for.
  gone.catch(() => undefined)
  const handshake = client.connect(transport, { timeout: NEVER_MS }).catch((error: unknown) => {
    // That the connection was closed says less than why. A server may refuse with the same code.
    if (isClosed(error) && toRefusal(answer()) === undefined) return Promise.race([gone, late.promise])
    throw explain(error, options)
  })
  try {
    await Promise.race([handshake, gone, late.promise])
    const result = toResult(answer())
    requireRevision(result, clean)
    return result
  } catch (error) {
    void client.close().catch(() => undefined)
    throw error
  } finally {
    cancelTimer()
  }
}

function explain(error: unknown, { answer, clean }: InitializeOptions): ServerFailure {
  const toShown = (text: string) => toPlainMessage(toVisible(clean(text), ' '))
  const refusal = toRefusal(answer())
  if (refusal !== undefined) {
    return new ServerFailure('initialize_invalid', `It answered \`initialize\` with an error: ${toShown(refusal)}`)
  }
  try {
    requireRevision(toResult(answer()), clean)
  } catch (failure) {
    if (failure instanceof ServerFailure) return failure
  }
  const reason = toShown(toReason(error))
  return new ServerFailure(
    'initialize_invalid',
    `It did not answer \`initialize\` as MCP wants it: ${reason}. Is the command an MCP server that speaks over stdio?`,
  )
}

function toResult(answer: ServerAnswer | undefined): unknown {
  return answer !== undefined && 'result' in answer ? answer.result : undefined
}

/** What it said instead of a result. */
function toRefusal(answer: ServerAnswer | undefined): string | undefined {
  return answer !== undefined && 'error' in answer ? answer.error.message : undefined
}

const MAX_ISSUES = 3

/** The official client says what is wrong with an answer in JSON over many lines. */
function toReason(error: unknown): string {
  if (!isRecord(error) || !Array.isArray(error['issues'])) return messageOf(error)
  const issues = error['issues'].slice(0, MAX_ISSUES).filter(isRecord)
  return issues.map(({ path, message }) => `${[path].flat().join('.') || 'the result'}: ${message}`).join('; ')
}

function requireRevision(answer: unknown, clean: (text: string) => string): void {
  const revision = isRecord(answer) ? answer['protocolVersion'] : undefined
  if (typeof revision !== 'string' || REVISIONS.includes(revision)) return
  const shown = JSON.stringify(toVisible(clean(revision)).slice(0, 40))
  throw new ServerFailure(
    'revision_unsupported',
    `It speaks revision ${shown} of MCP; this client speaks ${REVISIONS.join(', ')}. Use a version of the server that knows one of them`,
  )
}

function startedTooLate(ms: number, hasSkipped: boolean): ServerFailure {
  const why = hasSkipped
    ? 'it wrote something else to stdout. Is it an MCP server that speaks over stdio, each message on a line of its own?'
    : 'a first start that downloads something may take longer'
  return new ServerFailure(
    'start_timeout',
    `It did not answer \`initialize\` within ${ms / 1000} s (timeouts.start_ms); ${why}`,
  )
}

function isClosed(error: unknown): boolean {
  return isRecord(error) && error['code'] === -32000
}
