import type { Result } from '@iii/sdk/cli'
import type { OperatorHost } from '../operator/host.ts'
import { runCommand } from './command.ts'

/** What `doctor` said of an engine. */
export interface Diagnosis {
  readonly code: number
  /** What a check found, by its name. */
  of(check: string): Result
  readonly text: string
}

/** Runs `doctor --json`. */
export async function runDoctor(
  url: string,
  words: readonly string[] = [],
  host: Partial<OperatorHost> = {},
): Promise<Diagnosis> {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json', ...words], { env: { III_URL: url }, host })
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
