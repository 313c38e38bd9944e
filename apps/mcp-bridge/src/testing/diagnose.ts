import type { Result } from '@iii/sdk/cli'
import type { Machine } from '../operator/machine.ts'
import { runCommand } from './command.ts'

/** What `doctor` said of an engine. */
export interface Diagnosis {
  readonly code: number
  /** What a check found, by its name. */
  of(check: string): Result
  readonly text: string
}

/** Runs `doctor --json`. */
export async function diagnose(
  url: string,
  words: readonly string[] = [],
  machine: Partial<Machine> = {},
): Promise<Diagnosis> {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json', ...words], { env: { III_URL: url }, machine })
  const { checks } = JSON.parse(stdout) as { checks: Result[] }
  return {
    code,
    text: stdout + stderr,
    of(check) {
      const found = checks.find((result) => result.check === check)
      if (found === undefined) throw new Error(`no check ${check}`)
      return found
    },
  }
}
