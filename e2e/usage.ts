import process from 'node:process'

/** What a command of this repository was told is wrong, or something that it needs is missing: the message says what would be right. */
export class UsageError extends Error {}

/**
 * Runs a command of this repository with the words behind its name: `--help` prints how it is used, and what it refuses ends it with 2.
 *
 * @param run the words without the `--` that some package managers pass on. @throws UsageError
 */
export async function runWithUsage(usage: string, run: (words: readonly string[]) => Promise<void>): Promise<void> {
  const words = process.argv.slice(2).filter((word) => word !== '--')
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage)
    return
  }
  try {
    await run(words)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}
