import { type RawReply, sendHttp } from './http-request.ts'
import { inventToken, toTokenHash } from './tokens.ts'

/** Callers that have tokens of the file, for scenarios in which several of them ask. */

/** An element of `auth.tokens`, but for what makes the token. */
export interface TokenRow {
  readonly name: string
  readonly grant: string
  readonly limits?: object
  readonly expires?: string
}

export interface TokenCaller {
  readonly token: string
  /** What the file has of it. */
  readonly row: TokenRow & { readonly hash: readonly string[] }
}

/** Makes a token of nobody else. */
export function createTokenCaller(row: TokenRow): TokenCaller {
  const token = inventToken()
  return { token, row: { ...row, hash: [toTokenHash(token)] } }
}

/** Sends one request. @param token undefined for whoever has none */
export function askAs(
  token: string | undefined,
  url: string,
  method: string,
  params: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return sendHttp(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}
