import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { toNodeArgs } from '../built.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

const REMOVE_AND_RUN = 'cd "$0" && rmdir "$0" && exec "$@"'
const APPS = ['mcp-bridge', 'mcp-client', 'run-records', 'skills-registry'].map((app) => `apps/${app}/src/main.ts`)
const CREATE = 'packages/create-worker/src/main.ts'
const PACK = 'packages/pack-worker/src/cli.ts'
const ENGINE = 'packages/mock-engine/src/cli/main.ts'
const REASON = /^[a-z-]+: the folder that this was started in is gone: go to another one, or write whole paths\n$/
const REFUSED = { code: 1, stdout: '', stderr: expect.stringMatching(REASON) as string }

async function runInRemoved(app: string, ...argv: string[]) {
  await using folder = await createTempFolder()
  const entry = new URL(`../../${app}`, import.meta.url)
  const words = [process.execPath, ...toNodeArgs(entry), ...argv]
  const outcome = promisify(execFile)('sh', ['-c', REMOVE_AND_RUN, folder.path, ...words])
  return await outcome.then(
    ({ stdout, stderr }) => ({ app, code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ app, code, stdout, stderr }),
  )
}

scenario(['bins/removed-folder'], 'programs run in a folder that is gone', async () => {
  for (const app of [...APPS, CREATE, PACK, ENGINE]) {
    const stdout = expect.stringMatching(/^\d+\.\d+\.\d+\n$/)
    expect(await runInRemoved(app, '--version')).toEqual({ app, code: 0, stdout, stderr: '' })
  }
})

scenario(
  ['bins/removed-folder'],
  'programs say so where they are to find something in a folder that is gone',
  async () => {
    for (const app of APPS) {
      expect(await runInRemoved(app, '--config', 'x.yaml')).toEqual({ app, ...REFUSED })
      expect(await runInRemoved(app, 'doctor', '--config', 'x.yaml')).toEqual({ app, ...REFUSED })
    }
  },
)

scenario(['bins/removed-folder'], 'no project is made or packed in a folder that is gone', async () => {
  for (const app of [CREATE, PACK]) expect(await runInRemoved(app)).toEqual({ app, ...REFUSED })
  await using folder = await createTempFolder()
  const path = join(folder.path, 'tea')
  const made = await runInRemoved(CREATE, path)
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`cd ${path}\n`), stderr: '' })
})
