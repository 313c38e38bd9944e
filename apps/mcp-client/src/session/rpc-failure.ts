/** JSON-RPC: there is no such method. */
export const METHOD_NOT_FOUND = -32_601

/** What a server answered instead of a result, in its own words. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}
