import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const home = fileURLToPath(new URL('..', import.meta.url))
const LOG = `import { createLog } from '@iii/sdk'; const log = createLog({ name: 'tea' });`
const SAY = `${LOG} log.info({ cups: 2 }, 'ready')`
const MANY = 1000
const SAY_MUCH = `${LOG} for (let cups = 0; cups < ${MANY}; cups++) log.info({ cups }, 'poured');`
const TERMINAL = 'data:text/javascript,process.stderr.isTTY=true;process.stderr.hasColors=()=>false'

/** Runs a program and returns what it wrote on stderr, however it ends. */
async function run(code: string, ...flags: string[]): Promise<string> {
  const args = ['--conditions=@iii/source', '--import', 'tsx', ...flags, '--input-type=module', '-e', code]
  const ended = await promisify(execFile)(process.execPath, args, { cwd: home, maxBuffer: 2 ** 24 }).catch(
    (error: { stderr: string }) => error,
  )
  return ended.stderr
}

/** The cups that were poured, in the order of the lines. */
function toCups(stderr: string): number[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line)).flatMap(({ cups }: { cups?: number }) => cups ?? [])
}

it('the log is readable on a terminal, and JSON everywhere else', async () => {
  const [piped, shown] = await Promise.all([run(SAY), run(SAY, '--import', TERMINAL)])
  expect(JSON.parse(piped)).toMatchObject({ level: 30, name: 'tea', cups: 2, msg: 'ready' })
  expect(shown).toMatch(/^\d\d:\d\d:\d\d info {2}tea: ready {2}cups=2\n$/)
})

it.each([
  ['it exits', 'process.exit()'],
  ['nobody catches an error', `throw new Error('spilled')`],
  ['it has nothing more to do', ''],
  [
    'it is killed after a line that says that something is wrong',
    `log.warn('spilled'); process.kill(process.pid, 'SIGKILL')`,
  ],
])('every line of a busy process is there in its order when %s', async (_, end) => {
  expect(toCups(await run(`${SAY_MUCH} ${end}`))).toEqual(Array.from({ length: MANY }, (_, cups) => cups))
})

it('a line that comes alone waits for nothing', async () => {
  expect(toCups(await run(`${SAY}; process.kill(process.pid, 'SIGKILL')`))).toEqual([2])
})
