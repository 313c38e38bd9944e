import { rename, writeFile } from 'node:fs/promises'
import type { IdentityHeaders } from './raw-client.ts'
import { inventToken, toTokenHash } from './tokens.ts'

/** Somebody with a token; two of one name are one principal, whose token is being replaced. */
export interface Bearer {
  readonly name: string
  readonly hash: string
  /** What names them in each of their requests. */
  readonly headers: IdentityHeaders
}

export function createBearer(name: string): Bearer {
  const token = inventToken()
  const hash = toTokenHash(token)
  return { name, hash, headers: { authorization: `Bearer ${token}` } }
}

export interface Entitled {
  readonly bearer: Bearer
  /** @default everything */
  readonly grant?: object
  /** When the token ends. */
  readonly expires?: string
}

/** Makes these the tokens of the file of a bridge, all at once, as an editor does that saves it. */
export async function saveTokens(file: string, entitled: readonly Entitled[]): Promise<void> {
  const names = [...new Set(entitled.map(({ bearer }) => bearer.name))]
  const tokens = names.map((name) => {
    const own = entitled.filter(({ bearer }) => bearer.name === name)
    return { name, grant: name, hash: own.map(({ bearer }) => bearer.hash), expires: own[0]?.expires }
  })
  const grants = Object.fromEntries(entitled.map(({ bearer, grant = {} }) => [bearer.name, grant]))
  await writeFile(`${file}.new`, JSON.stringify({ auth: { tokens, grants } }))
  await rename(`${file}.new`, file)
}
