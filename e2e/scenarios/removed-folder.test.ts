import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { toNodeArgs } from '../built.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

const REMOVE_AND_RUN = 'cd "$0" && rmdir "$0" && exec "$@"'
const APPS = ['mcp-bridge', 'mcp-client', 'run-records', 'skills-registry']

async function runInRemoved(app: string, ...argv: string[]) {
  await using folder = await createTempFolder()
  const entry = new URL(`../../apps/${app}/src/main.ts`, import.meta.url)
  const words = [process.execPath, ...toNodeArgs(entry), ...argv]
  const outcome = promisify(execFile)('sh', ['-c', REMOVE_AND_RUN, folder.path, ...words])
  return await outcome.then(
    ({ stdout, stderr }) => ({ app, code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ app, code, stdout, stderr }),
  )
}

scenario(['bins/removed-folder'], 'programs run in a folder that is gone', async () => {
  for (const app of APPS) {
    const stdout = expect.stringMatching(/^\d+\.\d+\.\d+\n$/)
    expect(await runInRemoved(app, '--version')).toEqual({ app, code: 0, stdout, stderr: '' })
  }
})

scenario(
  ['bins/removed-folder'],
  'programs say so where they are to find something in a folder that is gone',
  async () => {
    const reason = /^[a-z-]+: the folder that this was started in is gone: go to another one, or write whole paths\n$/
    const refused = { code: 1, stdout: '', stderr: expect.stringMatching(reason) }
    for (const app of APPS) {
      expect(await runInRemoved(app, '--config', 'x.yaml')).toEqual({ app, ...refused })
      expect(await runInRemoved(app, 'doctor', '--config', 'x.yaml')).toEqual({ app, ...refused })
    }
  },
)
