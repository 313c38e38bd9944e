import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describePromise, RELEASED } from './released.ts'

const CHANGESETS = new URL('../../../../.changeset/', import.meta.url)

/** Whether users will be told that this package has changed. */
function hasChangeset(): boolean {
  const files = readdirSync(CHANGESETS).filter((name) => name.endsWith('.md'))
  return files.some((name) => /^'@iii\/runs':/m.test(readFileSync(new URL(name, CHANGESETS), 'utf8')))
}

it('what is promised is as it was released, or a changeset names the package', () => {
  const { version, line } = describePromise()
  const released = readFileSync(RELEASED, 'utf8')
  // After a change of the version by hand: pnpm release:version writes what was released.
  expect(released.split(' ')[0]).toBe(version)
  if (!hasChangeset()) expect(line).toBe(released)
})
