import { UsageError } from '../usage.ts'
import { findOnPath } from './program-file.ts'

/** There is no browser; the message says where one comes from. */
class MissingBrowserError extends UsageError {}

/** What the programs are called: Debian's, and Google's. */
const NAMES = ['chromium', 'google-chrome']

/** Finds a Chromium on the path. @throws MissingBrowserError */
export function findBrowser({ PATH = '' }: NodeJS.ProcessEnv): string {
  const found = findOnPath(PATH, NAMES)
  if (found !== undefined) return found
  throw new MissingBrowserError(
    `No Chromium on the PATH, looked for: ${NAMES.join(', ')}. On Debian: apt-get install chromium`,
  )
}
