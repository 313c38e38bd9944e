import type { Digests } from '../record/digests.ts'
import type { KnownSecrets } from '../redaction/known-secrets.ts'
import { toRedactedText } from '../redaction/redacted-text.ts'

/** The parts of a value: JSON pointer → digest. */
export type Leaves = Readonly<Record<string, string>>

/** More is not told apart: what lies deeper counts as one. A row has room for those of some hundred tasks. */
const MAX_CHARACTERS = 8 * 1024
/** Of each part, beside its pointer. */
const DIGEST_CHARACTERS = 40

type Part = readonly [pointer: string, value: unknown]

/**
 * Takes a JSON value apart into its leaves, level by level for as long as they are few enough.
 *
 * @param known what is hidden in the pointers
 *
 * @example
 * toLeaves({ a: { b: 1 } }, digests) // { '/a/b': '5e8f…' }
 */
export function toLeaves(value: unknown, { digest }: Digests, known?: KnownSecrets): Leaves {
  // What has no parts at all differs from nothing.
  if (isEmpty(value)) return {}
  let parts: Part[] = [['', value]]
  for (;;) {
    const next = parts.flatMap((part) => takeApart(part, known))
    if (sizeOf(next) > MAX_CHARACTERS || next.every((part, at) => part === parts[at])) break
    parts = next
  }
  return Object.fromEntries(parts.map(([pointer, part]) => [pointer, digest(part)]))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function takeApart(part: Part, known: KnownSecrets | undefined): Part[] {
  const [pointer, value] = part
  if (typeof value !== 'object' || value === null) return [part]
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]): Part => [`${pointer}/${escapeKey(key, known)}`, member])
  return members.length === 0 ? [part] : members
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, [pointer]) => sum + pointer.length + DIGEST_CHARACTERS, 0)
}

/** A key may hold a secret like any text. @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function escapeKey(key: string, known: KnownSecrets | undefined): string {
  const text = toRedactedText(key)
  return (known?.hide(text) ?? text).replaceAll('~', '~0').replaceAll('/', '~1')
}
