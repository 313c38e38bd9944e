/** Of a process, what tells people and ends it. */
interface Ending {
  readonly stdout: { on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown }
  readonly stderr: { on(event: 'error', listener: () => void): unknown; write(text: string): unknown }
  exit(code?: number): never
}

/** Whoever reads may have seen enough: `iii-runs list | head`. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

/** Of a command that has failed. */
const FAILED_EXIT_CODE = 1

/**
 * Ends a command as soon as it cannot print: well where nobody reads any more, as failed where the output is lost, as on a full disk. What it
 * cannot tell on stderr ends nothing, so that its exit code is what it would have been.
 */
export function exitUnwritten(program: string, ending: Ending): void {
  ending.stdout.on('error', (error) => {
    if (tellUnwritten(program, error, ending)) ending.exit(FAILED_EXIT_CODE)
    ending.exit()
  })
  ending.stderr.on('error', () => undefined)
}

/** Says that the output is lost. @returns false where nobody reads any more, and nobody has to be told */
export function tellUnwritten(
  program: string,
  error: NodeJS.ErrnoException,
  { stderr }: { readonly stderr: Pick<Ending['stderr'], 'write'> },
): boolean {
  if (NOBODY_READS.has(error.code)) return false
  stderr.write(`${program}: the output could not be written: ${error.message}\n`)
  return true
}
