import { execFileSync, spawnSync } from 'node:child_process'
import type { Release } from './releases.ts'

/**
 * Makes a release on GitHub that is not there yet. `gh` begins with a draft, and leaves it where it is ended before all files are there:
 * one that was left is no release, and is made anew.
 *
 * @param env in which `gh` is found, when it is not that of this process
 * @throws when `gh` fails
 */
export function publishRelease({ tag, notes, files }: Release, env?: NodeJS.ProcessEnv): void {
  const view = ['release', 'view', tag, '--json', 'isDraft', '--jq', '.isDraft']
  const { status, stdout } = spawnSync('gh', view, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const isThere = status === 0
  const isDraft = isThere && stdout.trim() === 'true'
  if (isThere && !isDraft) return
  if (isDraft) execFileSync('gh', ['release', 'delete', tag, '--yes'], { env, stdio: 'inherit' })
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const args = ['release', 'create', tag, '--title', tag, '--target', commit, '--notes-file', '-', ...files]
  execFileSync('gh', args, { env, input: notes, stdio: ['pipe', 'inherit', 'inherit'] })
}
