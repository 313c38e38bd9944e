import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { toNodeArgs } from '../built.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

const REMOVE_AND_RUN = 'cd "$0" && rmdir "$0" && exec "$@"'

scenario(['bins/removed-folder'], 'programs run in a folder that is gone', async () => {
  for (const app of ['mcp-bridge', 'mcp-client', 'run-records', 'skills-registry']) {
    await using folder = await createTempFolder()
    const entry = new URL(`../../apps/${app}/src/main.ts`, import.meta.url)
    const words = [process.execPath, ...toNodeArgs(entry), '--version']
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', REMOVE_AND_RUN, folder.path, ...words])
    expect([app, stdout, stderr]).toEqual([app, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), ''])
  }
})
