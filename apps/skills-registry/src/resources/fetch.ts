import {
  explainFetchAddress,
  explainTooManyAddresses,
  explainUnread,
  Fault,
  type FaultCode,
  type FetchSkillInput,
  joinRefusals,
  parseUri,
  skillsFunctions,
  toFault,
  toPlainMessage,
} from '@iii/protocol'
import { readResultBytes, withoutOwn } from '../invocation/sidecar.ts'
import type { ServeFunction } from '../serve.ts'
import { isOfBridge } from '../skills/reachable.ts'
import { createLimit } from '../store/concurrency.ts'
import { startDeadline } from './fetch-deadline.ts'
import { MAX_DOCUMENT_BYTES, type Section, toFetchDocument } from './fetch-document.ts'
import type { ReadResult, Resources } from './resources.ts'

/** So many functions one call runs side by side. */
const MAX_SECTIONS_AT_ONCE = 4
/** One call is answered within this, in milliseconds: before the 25 s after which an MCP client behind the bridge gives up. */
export const FETCH_DEADLINE_MS = 20_000

/** Puts `skill::fetch` and `skills::fetch_skill` on the bus: one handler under two names. */
export function serveFetch(serve: ServeFunction, resources: Resources): void {
  const fetch = async (input: FetchSkillInput, metadata: unknown) => {
    const maxBytes = Math.min(MAX_DOCUMENT_BYTES, readResultBytes(metadata) ?? MAX_DOCUMENT_BYTES)
    const unread = input.uris?.length ? explainUnread(input.uri, input.uris) : undefined
    try {
      const document = await fetchDocument(
        { read: resources.readOrList },
        toAddresses(input),
        withoutOwn(metadata),
        maxBytes,
      )
      return unread === undefined ? document : `${document}\n\n${unread}`
    } catch (error) {
      const fault = toFault(error)
      throw unread === undefined ? fault : new Fault(fault.code, `${fault.message}; ${unread}`)
    }
  }
  serve(skillsFunctions.fetch, fetch)
  serve(skillsFunctions.fetchSkill, fetch)
}

/**
 * Reads the addresses that a call asks for: trimmed, none twice, all of them well-formed.
 *
 * @throws Fault `invalid_input` when there is none, when there are too many, and with each that is malformed.
 */
export function toAddresses({ uri, uris }: FetchSkillInput): string[] {
  const asked = uris !== null && uris.length > 0 ? uris : [uri ?? '']
  const addresses = [...new Set(asked.map((text) => text.trim()).filter((text) => text !== ''))]
  if (addresses.length === 0) throw new Fault('invalid_input', 'Provide uri or a non-empty uris array')
  const tooMany = explainTooManyAddresses(addresses.length)
  if (tooMany !== undefined) throw new Fault('invalid_input', tooMany)
  const refusal = joinRefusals(addresses.flatMap((address) => explainFetchAddress(address) ?? []))
  if (refusal !== undefined) throw new Fault('invalid_input', refusal)
  return addresses
}

/** A read that worked, or why it did not. */
type Outcome = { uri: string; text: string } | { uri: string; fault: Fault }

/**
 * Reads addresses into one document.
 *
 * @throws Fault when nothing could be read: with the one reason, or with each address and its own.
 */
export async function fetchDocument(
  resources: Pick<Resources, 'read'>,
  uris: readonly string[],
  metadata: unknown,
  maxBytes?: number,
): Promise<string> {
  const limit = createLimit(MAX_SECTIONS_AT_ONCE)
  const deadline = startDeadline(FETCH_DEADLINE_MS)
  const read = async (uri: string): Promise<Outcome> => {
    try {
      return { uri, text: toText(await deadline.cut(() => resources.read(uri, metadata))) }
    } catch (error) {
      return { uri, fault: advise(uri, toFault(error)) }
    }
  }
  const isSection = (uri: string) => parseUri(uri)?.kind === 'section'
  try {
    const outcomes = await Promise.all(uris.map((uri) => (isSection(uri) ? limit(() => read(uri)) : read(uri))))
    requireOne(outcomes)
    return toFetchDocument(outcomes.map(toSection), maxBytes)
  } finally {
    deadline.end()
  }
}

/** Whoever fetches may have an MCP client behind it, which has another way to what the bridge serves. */
function advise(uri: string, fault: Fault): Fault {
  if (!isOfBridge(uri)) return fault
  return new Fault(fault.code, `${fault.message}; what the bridge serves there is read with resources/read`)
}

/** @throws Fault when nothing could be read: with the one reason, or with each address and its own. */
function requireOne(outcomes: readonly Outcome[]): void {
  const failures = outcomes.flatMap((outcome) => ('fault' in outcome ? [outcome] : []))
  const [first] = failures
  if (first === undefined || failures.length < outcomes.length) return
  if (failures.length === 1) throw first.fault
  const reasons = failures.map(({ uri, fault }) => `${uri}: ${fault.message}`)
  throw new Fault(toCommonCode(failures.map(({ fault }) => fault.code)), `Nothing could be read. ${reasons.join('; ')}`)
}

function toCommonCode(codes: readonly FaultCode[]): FaultCode {
  const [code = 'internal', ...others] = new Set(codes)
  return others.length === 0 ? code : 'internal'
}

function toSection(outcome: Outcome): Section {
  if ('text' in outcome) return outcome
  return { uri: outcome.uri, text: `Could not be read: ${toPlainMessage(outcome.fault.message)}` }
}

function toText(result: ReadResult): string {
  if (!('contents' in result)) {
    throw new Fault('invalid_input', 'it asks the client questions first: read it with resources/read')
  }
  return result.contents.map(toContentText).join('\n')
}

function toContentText(content: Extract<ReadResult, { contents: unknown }>['contents'][number]): string {
  if ('text' in content && typeof content.text === 'string') return content.text
  return `(${content.mimeType ?? 'binary'} content: read it with resources/read)`
}
