import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const home = fileURLToPath(new URL('..', import.meta.url))
const CODE = `import { createLog } from '@iii/sdk'; createLog({ name: 'tea' }).info({ cups: 2 }, 'ready')`
const TERMINAL = 'data:text/javascript,process.stderr.isTTY=true;process.stderr.hasColors=()=>false'

async function log(...flags: string[]): Promise<string> {
  const args = ['--conditions=@iii/source', '--import', 'tsx', ...flags, '--input-type=module', '-e', CODE]
  return (await promisify(execFile)(process.execPath, args, { cwd: home })).stderr
}

it('the log is readable on a terminal, and JSON everywhere else', async () => {
  const [piped, shown] = await Promise.all([log(), log('--import', TERMINAL)])
  expect(JSON.parse(piped)).toMatchObject({ level: 30, name: 'tea', cups: 2, msg: 'ready' })
  expect(shown).toMatch(/^\d\d:\d\d:\d\d info {2}tea: ready {2}cups=2\n$/)
})
