import { compareText } from '@iii/protocol'
import { MAX_TASKS } from '../jobs/plan.ts'

/** A job is on one page. */
export const PAGE = MAX_TASKS

/** Which ids are asked for: those with a beginning, behind the last one of the page before. */
export interface PageOfIds {
  readonly prefix?: string | undefined
  readonly cursor?: string | undefined
}

export function selectIds(ids: Iterable<string>, { prefix = '', cursor }: PageOfIds): string[] {
  return [...ids]
    .filter((id) => id.startsWith(prefix) && (cursor === undefined || compareText(id, cursor) > 0))
    .sort(compareText)
}

/** What asks for the next page, when only the first of the found ids are on this one. One that is too large for any page keeps nobody from the rest. */
export function toNext(found: readonly string[], shown: number): { cursor?: string } {
  const last = found[Math.max(0, shown - 1)]
  return last === undefined || shown >= found.length ? {} : { cursor: last }
}
