/** The cursor of a request for a page. @returns undefined for the first page, for which some clients say null or nothing */
export function readCursor(cursor: unknown): unknown {
  return cursor === null || cursor === '' ? undefined : cursor
}
