import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { publishRelease } from './publish-release.ts'

/** What `gh` is asked, where it says this of a release. */
function publishWhere(view: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'iii-gh-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  const script = `#!/bin/sh\necho "$1 $2 $3" >> ${log}\ncase $2 in view) ${view};; create) cat > /dev/null;; esac\n`
  writeFileSync(join(folder, 'gh'), script, { mode: 0o755 })
  const env = { PATH: `${folder}:/usr/bin:/bin` }
  publishRelease({ tag: 'a@1', notes: 'New', files: [] }, env)
  return readFileSync(log, 'utf8').trim().split('\n')
}

it.each([
  ['is not there', 'exit 1', ['release view a@1', 'release create a@1']],
  ['is there', 'echo false', ['release view a@1']],
  ['was left as a draft', 'echo true', ['release view a@1', 'release delete a@1', 'release create a@1']],
])('a release that %s', (_, view, asked) => {
  expect(publishWhere(view)).toEqual(asked)
})
