import { RPC, RpcError } from './rpc.ts'

/**
 * What a client reads while the configuration file locks the server.
 *
 * @param reason line and reason; undefined for strangers, to whom the file is nothing
 */
export function toLockedError(reason: string | undefined): RpcError {
  return new RpcError(
    RPC.refused,
    `This server is locked by its configuration${reason === undefined ? '' : `: ${reason}`}`,
  )
}
