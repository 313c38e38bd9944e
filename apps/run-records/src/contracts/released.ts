import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** What was promised at the last release, as {@link describePromise} tells it: written by `release:version`. */
export const RELEASED = new URL('./released.txt', import.meta.url)

/** This version, and a digest of the contracts that stand in its snapshot. */
export function describePromise(): { readonly version: string; readonly line: string } {
  const { version } = JSON.parse(read('../../package.json')) as { version: string }
  return { version, line: `${version} ${createHash('sha256').update(read('./contracts.snap')).digest('hex')}\n` }
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
