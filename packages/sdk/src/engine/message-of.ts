/** What went wrong, in the words of whoever threw it: of an error its message, of anything else what it is as a text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
