import {
  explainFetchAddress,
  explainTooManyAddresses,
  explainUnread,
  Fault,
  isRecord,
  type JsonObject,
  joinRefusals,
  MAX_URI_LENGTH,
  parseUri,
  toFault,
} from '@iii/protocol'
import { isAbsent } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { Callee, Gate, Pass } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import { parseEngineUri } from './engine/address.ts'
import { toSkillsSidecar } from './registry.ts'

/** What the line that says what was not read may take. */
const UNREAD_BYTES = 700

/** What the registry is told of the limit, since it knows which texts to leave out, so that none is cut, and of the skills that the client reads. */
export function toFetchSidecar(maxResultBytes: number, principal: Principal): FetchSidecar {
  return { max_result_bytes: maxResultBytes - UNREAD_BYTES, ...toSkillsSidecar(principal) }
}

type FetchSidecar = { max_result_bytes: number; skills?: string[] }

/** What `skill::fetch` is called with, or why it is not called. */
export type FetchRequest =
  | { readonly input: JsonObject; readonly unread: string | undefined; readonly refusal?: undefined }
  | { readonly refusal: string }

export interface FetchRules {
  readonly gate: Gate
  /** What goes on after the refusal of what is no address. @default nothing */
  readonly advise?: (text: string) => Promise<string>
}

/** Who fetches, by which rules. */
interface Fetching extends FetchRules {
  readonly principal: Principal
  /** Of the registry, where that is another than our own: its addresses without one lead there. */
  readonly namespace: string | undefined
}

/**
 * Checks what `skill::fetch` is asked to fetch, before the registry is: it reads sections by calling functions, and which of
 * those this bridge shows is its own to decide. Only what was checked goes on: `uri` does not, where `uris` counts.
 */
export async function toFetchRequest(asked: JsonObject, fetching: Fetching): Promise<FetchRequest> {
  const { uri, ...withoutUri } = asked
  const { uris } = withoutUri
  const isList = Array.isArray(uris) && uris.length > 0
  const refusal = await refuse(toAddresses(isList ? uris : [uri]), fetching)
  const unread = isList ? explainUnread(uri, uris) : undefined
  if (refusal !== undefined) return { refusal: withUnread(refusal, unread) }
  return { input: isList ? withoutUri : asked, unread }
}

/**
 * A pass to `skill::fetch`: each time that it is called, what it is asked to fetch may be hidden by then.
 *
 * @throws Fault `forbidden` for that, when it is called
 */
export function toFetchPass(pass: Pass, rules: FetchRules): Callee {
  return {
    ...pass,
    async call(payload, options) {
      const fetching = { ...rules, principal: options.principal, namespace: pass.namespace }
      const asked = await toFetchRequest(isRecord(payload) ? payload : {}, fetching)
      if (asked.refusal !== undefined) throw new Fault('forbidden', asked.refusal)
      const answer = await pass.call(asked.input, options).catch((error: unknown) => {
        if (asked.unread === undefined || isAbsent(error, pass.functionId)) throw error
        const { code, message } = toFault(error)
        throw new Fault(code, withUnread(message, asked.unread))
      })
      return typeof answer === 'string' && asked.unread !== undefined ? `${answer}\n\n${asked.unread}` : answer
    },
  }
}

function withUnread(refusal: string, unread: string | undefined): string {
  return unread === undefined ? refusal : `${refusal}; ${unread}`
}

/** What is no address at all is left to the registry, which says what it takes. */
function toAddresses(asked: readonly unknown[]): string[] {
  const texts = asked.filter((address) => typeof address === 'string').map((address) => address.trim())
  return [...new Set(texts)].filter((address) => address !== '')
}

async function refuse(
  addresses: readonly string[],
  { gate, advise, principal, namespace: from }: Fetching,
): Promise<string | undefined> {
  const tooMany = explainTooManyAddresses(addresses.length)
  if (tooMany !== undefined) return tooMany
  const refusals = await explainAll(addresses, advise)
  const sections = new Set<string>()
  for (const address of addresses) {
    const uri = explain(address) === undefined ? parseUri(address) : undefined
    if (uri?.kind === 'section') sections.add(toKey({ namespace: uri.namespace ?? from, id: uri.functionId }))
  }
  for (const functionId of sections) {
    const pass = await gate.admit(functionId, 'section', principal)
    if (!pass.allowed) refusals.push(pass.message)
  }
  return joinRefusals(refusals)
}

/** What is wrong with those that are wrong. Advice costs a list of all resources, so only the first of them gets any. */
async function explainAll(addresses: readonly string[], advise: Fetching['advise']): Promise<string[]> {
  const refusals: string[] = []
  for (const address of addresses) {
    const problem = explain(address)
    if (problem === undefined) continue
    refusals.push(refusals.length === 0 ? await advised(problem, address, advise) : problem)
  }
  return refusals
}

/** An address of what the server itself has needs no advice: nothing is wrong with it. */
async function advised(problem: string, address: string, advise: Fetching['advise']): Promise<string> {
  return isOwn(address) ? problem : `${problem}${(await advise?.(address)) ?? ''}`
}

function isOwn(address: string): boolean {
  return parseEngineUri(address) !== undefined
}

function explain(address: string): string | undefined {
  if (!isOwn(address)) return explainFetchAddress(address)
  return `${address.slice(0, MAX_URI_LENGTH)} is served by this server itself: read it with resources/read`
}
