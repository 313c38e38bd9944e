import type { Bus } from '../bus/bus.ts'
import { objectText, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { WireError } from '../wire/frames.ts'
import type { TraceContext } from '../wire/outgoing.ts'
import { failed } from './error-replies.ts'
import { type Reply, toMiddlewareReply } from './return-value.ts'

/**
 * Asks the middleware functions in turn.
 *
 * @returns the response one of them gave, or `undefined` when the handler is to be called.
 */
export async function runMiddleware(
  bus: Bus,
  functionIds: readonly string[],
  namespace: string,
  request: Record<string, JsonText>,
  trace: TraceContext,
): Promise<Reply | undefined> {
  const { path_params, query_params, headers, method } = request
  const data = objectText({
    phase: '"preHandler"',
    context: '{}',
    request: objectText({ path_params, query_params, headers, method }),
  })
  for (const functionId of functionIds) {
    const { result, error } = await bus.calls.ask({ functionId, namespace, data, trace })
    if (error) return failed(error satisfies WireError)
    const members = toMembers(result ?? 'null')
    if (toStringValue(members?.get('action')) === 'respond') return toMiddlewareReply(members?.get('response') ?? '{}')
  }
  return undefined
}
