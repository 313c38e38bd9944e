import { Fault } from '@iii/protocol'
import type { McpContext } from '@iii/sdk'
import { toFaultOf } from '../results/fault.ts'
import type { ServerConnection } from '../servers/connection.ts'
import type { Server } from '../servers/server.ts'
import { METHOD_NOT_FOUND, RpcFailure } from '../session/rpc-failure.ts'

/** Who calls, and until when they wait. */
export type ServerCaller = Pick<McpContext, 'signal' | 'client' | 'principal' | 'call'>

/** What a call needs of its server. */
export type CalledServer = Pick<Server, 'name' | 'config' | 'counts' | 'queue' | 'reach' | 'offers' | 'refresh'>

/**
 * Does something with a server: in a place of its queue, and when it is there. What the server answers instead of a result becomes a fault.
 *
 * @param id of the function that was called
 * @throws Fault `overloaded` or `unavailable`, before the server was asked anything
 */
export async function callServer<T>(
  server: CalledServer,
  id: string,
  { signal, ...mcp }: ServerCaller,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const leave = await server.queue.enter(signal)
  try {
    const connection = await server.reach(signal)
    // While the call waited, what stands behind it may have become something that nobody has approved.
    if (!server.offers(id)) throw new Fault('unavailable', `${id} ${WITHDRAWN}`)
    try {
      return await work(connection)
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      if (error.code === METHOD_NOT_FOUND) server.refresh()
      throw toFaultOf(error, connection.filter)
    } finally {
      connection.session.onOver(toCallerKey(mcp))
    }
  } finally {
    leave()
  }
}

/**
 * Whose call it is, as far as that is told: bridges and workers are known by their connections, clients of one bridge by their tokens and
 * what they call themselves.
 */
export function toCallerKey({ client, principal, call }: Pick<McpContext, 'client' | 'principal' | 'call'>): string {
  return JSON.stringify([call.callerWorkerId, principal?.id, client?.name, client?.version])
}

const WITHDRAWN = 'was taken away while the call waited for its server, which was asked nothing'
