import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SAMPLE_MCP_SERVERS } from '../programs.ts'
import { createTempFolder } from '../stack.ts'
import { findServersFile } from './servers-file.ts'

it('the servers are those of the file that was given, which others may not write', async () => {
  await using folder = await createTempFolder()
  const file = join(folder.path, 'servers.yaml')
  expect(await findServersFile(file)).toEqual({ problem: expect.stringMatching(/^There is no file .*servers\.yaml: /) })
  await writeFile(file, 'servers: {}\n', { mode: 0o600 })
  expect(await findServersFile(file)).toEqual({ file })
  await chmod(file, 0o664)
  expect(await findServersFile(file)).toEqual({ problem: expect.stringMatching(/^Others than you .* chmod go-w /) })
})

it('without one they are those of the sample, whatever the umask of the checkout', async () => {
  const { mode } = await stat(SAMPLE_MCP_SERVERS)
  await chmod(SAMPLE_MCP_SERVERS, 0o664)
  expect(await findServersFile(undefined)).toEqual({ file: SAMPLE_MCP_SERVERS })
  expect((await stat(SAMPLE_MCP_SERVERS)).mode & 0o777).toBe(0o644)
  await chmod(SAMPLE_MCP_SERVERS, mode)
})
