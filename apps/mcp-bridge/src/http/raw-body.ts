import { checkDepth, Fault, toFault } from '@iii/protocol'
import type { ChannelReader } from '@iii/sdk'
import { ENGINE_JSON } from '../mcp/limits.ts'

/** What a body says that the engine did not parse, or why nothing. */
export type RawBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'not-json'; readonly reason: string }
  | { readonly kind: 'too-large' }

export interface RawBodyLimits {
  readonly maxBytes: number
  /** A client that sends slower is not waited for. */
  readonly timeoutMs: number
}

/**
 * Reads a body that reached us without being parsed: the engine hands `null` over for JSON that it could not read, for a literal
 * `null`, and for a content type that it spells differently (`Application/JSON`). Never throws.
 */
export async function readRawBody(
  reader: Pick<ChannelReader, 'readAll' | 'terminate'>,
  { maxBytes, timeoutMs }: RawBodyLimits,
): Promise<RawBody> {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.terminate()
  }, timeoutMs)
  try {
    return parseRawBody(await reader.readAll({ maxBytes }))
  } catch (error) {
    if (toFault(error).code === 'too_large') return { kind: 'too-large' }
    return notJson(isLate ? `the body did not come within ${timeoutMs / 1000} s` : 'the body could not be read')
  } finally {
    clearTimeout(timer)
  }
}

/** Parses JSON as strictly as the engine does. */
export function parseRawBody(bytes: Uint8Array): RawBody {
  if (bytes.byteLength === 0) return notJson('the body is empty')
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text, requireSendable)
    const problem = checkDepth(value, ENGINE_JSON)
    return problem === undefined ? { kind: 'json', value } : notJson(`the body is ${problem}`)
  } catch (error) {
    return notJson(error instanceof Fault ? `the body holds ${error.message}` : 'the body is not valid JSON')
  }
}

function notJson(reason: string): RawBody {
  return { kind: 'not-json', reason }
}

/** Half a character or a number beyond double makes the engine drop a whole message without a word. */
function requireSendable(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unsendable('a number beyond 1.8e308')
  const isWhole = key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())
  if (!isWhole) throw unsendable('half a character, such as "\\ud83d" alone')
  return value
}

function unsendable(what: string): Fault {
  return new Fault('invalid_input', `${what}, which the engine does not read`)
}
