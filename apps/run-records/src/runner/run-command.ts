import { toShellWord } from '@iii/sdk/cli'

/**
 * The command that runs a job, for somebody who copies it. A job that a function declares has the id of that function, which may be
 * anything: no shell may obey it, and no program take it for a flag.
 *
 * @param flags as a shell reads them
 * @example
 * formatRunCommand('nightly', '--force') // 'iii-runs run nightly --force'
 */
export function formatRunCommand(job: string, flags: string): string {
  const word = toShellWord(job)
  return job.startsWith('-') ? `iii-runs run ${flags} -- ${word}` : `iii-runs run ${word} ${flags}`
}
