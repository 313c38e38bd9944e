import { isRecord } from '@iii/protocol'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { FetchDocument } from './fetch-document.ts'
import { findJwksAddress } from './jwks-address.ts'

/** The keys of an issuer, read when they are needed. */
export interface IssuerKeys {
  /** The key that a token names. @throws KeysUnavailable while none are known, or it is none of those known and they cannot be read anew */
  readonly find: JWTVerifyGetKey
  /** For a token that the key which it names has not signed: issuers may call another key the same. @returns whether they were read anew */
  lookAgain(): Promise<boolean>
  /** Which keys these are: another number when they are others, undefined when it is time to read them again. */
  edition(): number | undefined
}

/** The keys of an issuer that could say something of a token cannot be read. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
  readonly retryAfterSeconds: number

  constructor(reason: string) {
    super(reason)
    this.retryAfterSeconds = RETRY_MS / 1000
  }
}

export interface IssuerKeysOptions {
  readonly issuer: string
  /** Where they are; undefined: where the issuer's metadata says. */
  readonly jwks: string | undefined
  readonly fetchDocument: FetchDocument
  /** Told when they cannot be read, and with undefined when they can be again. */
  readonly onChange: (trouble: string | undefined) => void
  readonly now?: () => number
}

/** After so long they are read again, so that one that the issuer has taken back ends. */
const FRESH_MS = 10 * 60_000
/** The last ones that could be read serve so long while the issuer is away. */
const KEPT_MS = 24 * 60 * 60_000
/** How often tokens of keys that are not known, which anybody can make, have them read again. */
const UNKNOWN_KEY_MS = 30_000
const RETRY_MS = 5_000

export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { now = Date.now, onChange } = options
  const read = createReader(options)
  let known: { readonly find: JWTVerifyGetKey; readonly at: number; readonly text: string } | undefined
  let edition = 0
  let failed: { readonly reason: string; readonly at: number } | undefined
  let lookedForUnknownAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  async function load(): Promise<void> {
    const before = failed
    try {
      const keys = await read()
      const text = JSON.stringify(keys)
      if (text !== known?.text) edition++
      known = { find: createLocalJWKSet(keys), at: now(), text }
      failed = undefined
      if (before !== undefined) onChange(undefined)
    } catch (error) {
      failed = { reason: (error as Error).message, at: now() }
      if (before?.reason !== failed.reason) onChange(failed.reason)
    }
  }

  function loadOnce(): Promise<void> {
    pending ??= load().finally(() => {
      pending = undefined
    })
    return pending
  }

  const isFresh = () => known !== undefined && now() - known.at < FRESH_MS

  const mayRetry = () => failed === undefined || now() - failed.at >= RETRY_MS

  const mayLook = () => (failed === undefined ? now() - lookedForUnknownAt >= UNKNOWN_KEY_MS : mayRetry())

  async function lookAgain(): Promise<boolean> {
    if (pending === undefined && !mayLook()) return false
    if (pending === undefined) lookedForUnknownAt = now()
    await loadOnce()
    return failed === undefined
  }

  /**
   * For a token whose key is none of those known.
   *
   * @returns whether they were read anew
   * @throws KeysUnavailable where they cannot be: it may be of a key that nobody could read yet
   */
  async function lookForUnknown(): Promise<boolean> {
    const isLooked = await lookAgain()
    if (failed !== undefined) throw new KeysUnavailable(failed.reason)
    return isLooked
  }

  async function refresh(): Promise<void> {
    if (isFresh() || (pending === undefined && !mayRetry())) return
    const loaded = loadOnce()
    // While the issuer is away, nobody waits for it.
    if (known === undefined || failed === undefined) await loaded
  }

  async function current(): Promise<JWTVerifyGetKey> {
    if (known !== undefined && now() - known.at >= KEPT_MS) known = undefined
    await refresh()
    if (known === undefined) throw new KeysUnavailable(failed?.reason ?? 'they were not read yet')
    return known.find
  }

  return {
    edition: () => (isFresh() ? edition : undefined),
    lookAgain,
    async find(header, token) {
      const find = await current()
      try {
        return await find(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey && (await lookForUnknown()))) throw error
        return (await current())(header, token)
      }
    },
  }
}

/** Where the keys of an issuer are, and how they are read. */
type Source = Pick<IssuerKeysOptions, 'issuer' | 'jwks' | 'fetchDocument'>

/** Reads the keys once. @throws Error whose message says why there are none */
export async function readKeysOf(source: Source): Promise<JSONWebKeySet> {
  return await createReader(source)()
}

function createReader({ issuer, jwks, fetchDocument }: Source): () => Promise<JSONWebKeySet> {
  let found: string | undefined
  return async () => {
    const address = jwks ?? found ?? (await findJwksAddress(issuer, fetchDocument))
    // Keys that have moved are looked for anew.
    found = undefined
    const document = await fetchDocument(address)
    const listed = isRecord(document) && Array.isArray(document['keys']) ? document['keys'] : []
    // One that makes no sense ends none of the others, and neither do keys of a kind that is not known here.
    const keys = listed.filter(isRecord) as JSONWebKeySet['keys']
    // An issuer has some. One that says otherwise is being set up, and must not end what is known.
    if (keys.length === 0) throw new Error(`${address} has no keys`)
    found = address
    return { keys }
  }
}
