import { isRunId } from '../record/run-id.ts'

/** How far a list was read: everything before these places was shown. */
export interface Position {
  /** The last run that was looked at, and the row of its summary. */
  readonly run: { readonly row: number; readonly id: string } | undefined
  /** The last call that was looked at: its row, and its number in it. */
  readonly call: { readonly row: number; readonly number: number } | undefined
}

const CURSOR = /^r(?:(\d{1,9})\.([0-9A-Z]{26}))?-c(?:(\d{1,9})\.(\d{1,4}))?$/

/**
 * Reads what {@link formatCursor} wrote.
 *
 * @returns undefined for what is no cursor
 */
export function parseCursor(text: string): Position | undefined {
  const parts = CURSOR.exec(text)
  if (parts === null) return undefined
  const [, runRow, id, callRow, number] = parts
  if (id !== undefined && !isRunId(id)) return undefined
  return {
    run: runRow === undefined || id === undefined ? undefined : { row: Number(runRow), id },
    call: callRow === undefined ? undefined : { row: Number(callRow), number: Number(number) },
  }
}

/** @example formatCursor({ run: { row: 3, id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, call: undefined }) // 'r3.01ARZ3NDEKTSV4RRFFQ69G5FAV-c' */
export function formatCursor({ run, call }: Position): string {
  return `r${run ? `${run.row}.${run.id}` : ''}-c${call ? `${call.row}.${call.number}` : ''}`
}
