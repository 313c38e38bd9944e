import { compareText, Fault } from '@iii/protocol'
import { CURSOR_RULE } from '../contracts/contract.ts'
import { MAX_TASKS } from '../jobs/plan.ts'

/** A job is on one page. */
export const PAGE = MAX_TASKS

type Kind = 'task' | 'job'

/** The last one of a page: by its name, so that what comes and goes between two pages moves no other one. */
interface LastShown {
  readonly kind: Kind
  readonly last: string
}

/** The ids with a beginning, behind the last one of the page before. */
export function selectIds(ids: Iterable<string>, prefix = '', place?: LastShown): string[] {
  return [...ids]
    .filter((id) => id.startsWith(prefix) && (place === undefined || compareText(id, place.last) > 0))
    .sort(compareText)
}

/** What asks for the next page, when only the first of the found ones are on this one. One that is too large for any page keeps nobody from the rest. */
export function toNext(kind: Kind, found: readonly string[], shown: number): { cursor?: string } {
  const last = found[Math.max(0, shown - 1)]
  return last === undefined || shown >= found.length ? {} : { cursor: formatPlace({ kind, last }) }
}

/** @throws Fault `invalid_input` for what no list has given, or one of others */
export function requirePlace(cursor: string, kinds: readonly Kind[]): LastShown {
  const [, word, last = ''] = /^(task|job) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const kind = kinds.find((each) => each === word)
  if (kind !== undefined && formatPlace({ kind, last }) === cursor) return { kind, last }
  throw new Fault('invalid_input', `cursor: ${CURSOR_RULE}`)
}

/** @example formatPlace({ kind: 'job', last: 'nightly' }) // 'am9iIG5pZ2h0bHk' */
function formatPlace({ kind, last }: LastShown): string {
  return Buffer.from(`${kind} ${last}`).toString('base64url')
}
