/** Of a process, what tells people and ends it. */
interface Ending {
  readonly stderr: { write(text: string): unknown }
  exit(code?: number): never
}

/** Whoever reads may have seen enough: `iii-runs list | head`. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

/** Of a command that has failed. */
const FAILED_EXIT_CODE = 1

/** Ends a command that cannot print: well where nobody reads any more, as failed where the output is lost, as on a full disk. */
export function exitUnwritten(program: string, error: NodeJS.ErrnoException, ending: Ending): never {
  return tellUnwritten(program, error, ending) ? ending.exit(FAILED_EXIT_CODE) : ending.exit()
}

/** Says that the output is lost. @returns false where nobody reads any more, and nobody has to be told */
export function tellUnwritten(
  program: string,
  error: NodeJS.ErrnoException,
  { stderr }: Pick<Ending, 'stderr'>,
): boolean {
  if (NOBODY_READS.has(error.code)) return false
  stderr.write(`${program}: the output could not be written: ${error.message}\n`)
  return true
}
