import { chmod, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempFolder } from '../stack.ts'
import { findBrowser } from './browser.ts'

it('finds a Chromium that can be run, and says what is missing', async () => {
  await using folder = await createTempFolder()
  const chromium = join(folder.path, 'chromium')
  const env = { PATH: ['/nowhere', '', folder.path].join(delimiter) }
  await writeFile(chromium, '')
  expect(() => findBrowser(env)).toThrow('No Chromium on the PATH, looked for: chromium, google-chrome.')
  await chmod(chromium, 0o755)
  expect(findBrowser(env)).toBe(chromium)
})
