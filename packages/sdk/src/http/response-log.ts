import type { Logger } from '../log.ts'
import { toKind } from '../suggestions/mistyped.ts'

/** What other libraries call the status of a response. */
const STATUS_ELSEWHERE = ['status', 'statusCode']

/**
 * Tells once for each function, in the log, of a response that the engine reads otherwise than it was meant: it answers 200 without a word, or
 * with bytes as a list of numbers.
 */
export function createResponseLog(
  log: Pick<Logger, 'warn'>,
): (functionId: string, result: Record<string, unknown>) => void {
  const told = new Set<string>()
  return (functionId, result) => {
    const problem = findProblem(result)
    if (problem === undefined || told.has(functionId)) return
    told.add(functionId)
    log.warn({ function_id: functionId }, `${functionId} answered a request with ${problem} (this is said once)`)
  }
}

function findProblem({ status_code: status, body, ...rest }: Record<string, unknown>): string | undefined {
  if (typeof status === 'string') return `status_code as ${toKind(status)}, so with 200: it has to be a number`
  const name = (status ?? undefined) === undefined && STATUS_ELSEWHERE.find((key) => typeof rest[key] === 'number')
  if (name) return `'${name}', which is not read, so with 200; did you mean 'status_code'?`
  if (!ArrayBuffer.isView(body)) return undefined
  return 'bytes as body, which go out as JSON: worker.openChannelWriter(request.response) sends them as they are'
}
