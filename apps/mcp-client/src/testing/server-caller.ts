import type { McpContext } from '@iii/sdk'

/** Who calls a function, over that connection, and waits as long as it takes. */
export function createServerCaller(
  callerWorkerId: string,
): Pick<McpContext, 'signal' | 'client' | 'principal' | 'call'> {
  const { signal } = new AbortController()
  const call = { functionId: '', invocationId: '', callerWorkerId, bytes: 0, trace: {}, signal }
  return { signal, client: undefined, principal: undefined, call }
}
