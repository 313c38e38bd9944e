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

const AUTH = /^(line \d+: )(?:unknown key ')?auth\b/

/** What clients are told of the mistakes in a file: of the block that says who may ask, nothing but where the mistake is. */
export function toToldReason(mistakes: readonly string[]): string {
  const told = mistakes.map((mistake) => {
    const line = AUTH.exec(mistake)?.[1]
    return line === undefined ? mistake : `${line}auth: is not right; the log of the server says how`
  })
  return [...new Set(told)].join('; ')
}
