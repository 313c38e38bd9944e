import type { RecordPolicy } from '@iii/protocol'
import { redact } from '@iii/protocol/redaction'
import type { Digests } from '../record/digests.ts'
import { explainDepth, type Payload } from '../record/payload.ts'
import { isObject, type KnownSecrets } from './known-secrets.ts'

export interface PayloadRules {
  /** What the function allows. */
  readonly record: RecordPolicy
  /** JSON Schema of the value, as its author wrote it. */
  readonly schema?: unknown
  /** Others that hold for it, too. */
  readonly otherSchemas?: readonly unknown[] | undefined
  /** A larger value is a digest alone. */
  readonly maxBytes: number
  readonly digests: Digests
  /** What was taken out before, and is to be taken out here; learns what is taken out now. */
  readonly known?: KnownSecrets | undefined
}

const MAX_POINTERS = 100
/** Of all pointers together: keys may be as long as the value. The row of a run has room for them. */
const MAX_POINTERS_BYTES = 4096
/** As much as one message of the engine may hold, and more than is ever kept. */
const MAX_LOOKED_THROUGH = 16 * 1024 * 1024

/** An input or a result as it may be kept and shown. */
export function toPayload(
  value: unknown,
  { record, schema, otherSchemas = [], maxBytes, digests, known }: PayloadRules,
): Payload {
  const json = value ?? null
  const clean = toClean(json, [schema, ...otherSchemas])
  // What is not kept is looked through as well: what is secret in it may be said again elsewhere.
  if (clean !== undefined) known?.learn(json, clean)
  if (record === 'none') return { omitted: 'none' }
  const whole = { digest: digests.digest(json), bytes: Buffer.byteLength(JSON.stringify(json)) }
  if (record === 'digest') return { ...whole, omitted: 'digest' }
  if (whole.bytes > maxBytes || clean === undefined || explainDepth(json) !== undefined) {
    return { ...whole, omitted: 'too_large' }
  }
  const kept = known?.hide(clean) ?? clean
  const redacted = toFew(findRedacted(json, kept, ''))
  return { ...whole, value: kept, ...(redacted.length === 0 ? {} : { redacted }) }
}

/** The value without secrets; undefined for what is too large to be looked through. */
function toClean(json: unknown, schemas: readonly unknown[]): unknown {
  let clean: unknown = json
  // One after the other: the references of a schema lead into itself.
  for (const schema of schemas) {
    const redaction = redact(clean, { schema, maxBytes: MAX_LOOKED_THROUGH })
    if (redaction === undefined) return undefined
    clean = redaction.value
  }
  return clean
}

/** Whether a payload is the whole value: nothing was taken out or left out. */
export function isWhole({ redacted, omitted }: Payload): boolean {
  return redacted === undefined && omitted === undefined
}

/** As many pointers as there is room for; where there is none for any, the one of the whole. */
function toFew(pointers: readonly string[]): string[] {
  const few: string[] = []
  let left = MAX_POINTERS_BYTES
  for (const pointer of pointers) {
    left -= Buffer.byteLength(pointer)
    if (left < 0 || few.length === MAX_POINTERS) break
    few.push(pointer)
  }
  return few.length === 0 && pointers.length > 0 ? [''] : few
}

/** JSON pointers of what differs. */
function findRedacted(value: unknown, clean: unknown, pointer: string): string[] {
  if (value === clean) return []
  if (!isObject(value) || !isObject(clean)) return [pointer]
  const cleaned = Object.entries(clean)
  // Keys with secrets in them may have become the same.
  if (Object.keys(value).length !== cleaned.length) return [pointer]
  return cleaned.flatMap(([key, part]) => {
    const below = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return Object.hasOwn(value, key) ? findRedacted((value as Record<string, unknown>)[key], part, below) : [below]
  })
}
