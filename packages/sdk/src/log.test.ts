import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const home = fileURLToPath(new URL('..', import.meta.url))
const LOG = `import { createLog } from '@iii/sdk'; const log = createLog({ name: 'tea' });`
const SAY = `${LOG} log.info({ cups: 2 }, 'ready')`
const MANY = 1000
const SAY_MUCH = `import { logLater } from '@iii/sdk'; ${LOG} for (let cups = 0; cups < ${MANY}; cups++) {
  if (cups % 3 === 0) log.info({ cups }, 'poured'); else logLater(log, () => ({ cups }), 'poured')
};`
const TERMINAL = 'data:text/javascript,process.stderr.isTTY=true;process.stderr.hasColors=()=>false'

function toArgs(code: string, flags: readonly string[] = []): string[] {
  return ['--conditions=@iii/source', '--import', 'tsx', ...flags, '--input-type=module', '-e', code]
}

/** Runs a program and returns what it wrote on stderr, however it ends. */
async function run(code: string, ...flags: string[]): Promise<string> {
  const ended = await promisify(execFile)(process.execPath, toArgs(code, flags), {
    cwd: home,
    maxBuffer: 2 ** 24,
  }).catch((error: { stderr: string }) => error)
  return ended.stderr
}

/** Starts a program that does not outlive its test, however that ends. */
function start(code: string, stdio: StdioOptions, flags: readonly string[] = []): ChildProcess {
  const child = spawn(process.execPath, toArgs(code, flags), { cwd: home, stdio })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
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

it('a line holds the fields that were given, whatever they are, behind those of its logger', async () => {
  const say = `
    const cup = { size: 2 }; cup.self = cup
    log.child({ part: 'pot' }).info({ cups: 2, lid: undefined, heat: NaN, on: new Date(0), of: { black: ['tea'] } }, 'poured')
    log.info({}, '100 %s')
    log.info({ cups: 2 })
    log.info({ err: new Error('spilled') }, 'failed')
    log.info({ cup, cups: 3n }, 'round')
    log.info({ said: '"\\u007f\\u001b[2J\\ud800' }, 'a\\nb')
    log.warn({ cups: 0 }, 'empty')`
  const lines = (await run(`${LOG} ${say}`)).split('\n').filter((line) => line.startsWith('{'))
  const told = lines.map((line) => {
    const { pid, time, ...rest } = JSON.parse(line)
    expect([pid > 0, time > 0, line.includes('\u007f')]).toEqual([true, true, false])
    return rest
  })
  const own = { level: 30, name: 'tea' }
  expect(told).toEqual([
    { ...own, part: 'pot', cups: 2, heat: null, on: '1970-01-01T00:00:00.000Z', of: { black: ['tea'] }, msg: 'poured' },
    { ...own, msg: '100 %s' },
    { ...own, cups: 2 },
    { ...own, err: expect.objectContaining({ type: 'Error', message: 'spilled' }), msg: 'failed' },
    { ...own, cup: expect.objectContaining({ size: 2 }), cups: 3, msg: 'round' },
    { ...own, said: expect.stringMatching(/^"/), msg: 'a\nb' },
    { ...own, level: 40, cups: 0, msg: 'empty' },
  ])
})

it('a line that is made later has the time and the place at which it was said', async () => {
  const say = `
    const pot = log.child({ part: 'pot' })
    let cups = 0
    logLater(pot, () => ({ cups, saidBy }), 'poured')
    const saidBy = Date.now()
    cups = 2
    log.info('said meanwhile')
    logLater(pot, () => ({ cups: 3n }), 'cannot be told')
    logLater(log, () => { throw new Error('spilled') }, 'cannot be made')
    logLater(createLog({ name: 'tea', level: 'warn' }), () => { throw new Error('nobody asked') }, 'unheard')
    logLater({ ...log, info: (fields, text) => log.info({ ...fields, own: true }, text) }, () => ({ cups }), 'of another logger')
    while (Date.now() <= saidBy) {}`
  const stderr = await run(`import { logLater } from '@iii/sdk'; ${LOG} ${say}`)
  const lines = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { level: 30, name: 'tea', part: 'pot', cups: 2, msg: 'poured' },
    { msg: 'said meanwhile' },
    { part: 'pot', msg: 'cannot be told' },
    { msg: 'cannot be made' },
    { cups: 2, own: true, msg: 'of another logger' },
  ])
  expect(lines).toHaveLength(5)
  expect(lines[0].time).toBeLessThanOrEqual(lines[0].saidBy)
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

it('a text of a line is cut where it is long, and nothing else of the line', async () => {
  const say = `
    const reason = 'é'.repeat(1e6)
    log.warn({ reason, list: [reason, 1], cups: 2 }, 'plain')
    log.child({ id: reason }).warn(new Error(reason), reason)
    log.warn({ reason: 'é'.repeat(5000) })`
  const stderr = await run(`${LOG} ${say}`)
  const [plain, failed, shorter] = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const cut = `${'é'.repeat(4094)}…`
  expect(plain).toMatchObject({ level: 40, name: 'tea', reason: cut, list: [cut, 1], cups: 2, msg: 'plain' })
  expect(shorter).toMatchObject({ reason: cut })
  expect(failed).toMatchObject({ id: cut, msg: cut, err: { message: cut } })
})

it('a line that comes alone waits for nothing', async () => {
  expect(toCups(await run(`${SAY}; process.kill(process.pid, 'SIGKILL')`))).toEqual([2])
})

it('a log that cannot be written ends nothing, and does not grow in memory', async () => {
  const say = `${LOG}
    const measure = () => (gc(), process.memoryUsage().heapUsed + process.memoryUsage().external) / 2 ** 20
    const before = measure()
    for (let round = 0; round < 1000; round++) log.warn({ tea: 'x'.repeat(2 ** 16) }, 'spilled')
    const grown = measure() - before
    console.log(grown < 16 || grown)`
  const closed = openSync('/dev/null', 'r')
  const child = start(say, ['ignore', 'pipe', closed], ['--expose-gc'])
  closeSync(closed)
  const [said, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'close')])
  expect([said, code]).toEqual(['true\n', 0])
})

it('a log that can be written again is, also when all that may wait for that has come', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iii-log-'))
  const path = join(folder, 'mended')
  const say = `${LOG} import { closeSync, openSync, statSync } from 'node:fs'
    const spill = () => { for (let round = 0; round < 100; round++) log.warn({ tea: 'x'.repeat(2 ** 16) }, 'spilled') }
    spill()
    closeSync(2)
    if (openSync(${JSON.stringify(path)}, 'a') !== 2) throw new Error('stderr has another number')
    spill()
    while (statSync(${JSON.stringify(path)}).size === 0) await new Promise(setImmediate)`
  const closed = openSync('/dev/null', 'r')
  const child = start(say, ['ignore', 'ignore', closed])
  closeSync(closed)
  const [code] = await once(child, 'close')
  await rm(folder, { recursive: true })
  expect(code).toBe(0)
})

it.each(['socket', 'pipe'])('a log in a %s that nobody reads keeps a worker from nothing', async (kind) => {
  const folder = await mkdtemp(join(tmpdir(), 'iii-log-'))
  const path = join(folder, 'unread')
  await promisify(execFile)('mkfifo', [path])
  const pipe = openSync(path, 'r+')
  // A process that shares the socket makes it one that blocks.
  const say = `${LOG} import { spawnSync } from 'node:child_process'; spawnSync('true', { stdio: 'inherit' })
    for (let cups = 0; cups < 10_000; cups++) log.warn({ cups }, 'poured'); console.log('goes on')`
  const stderr = kind === 'pipe' ? pipe : 'pipe'
  const child = start(say, ['ignore', 'pipe', stderr])
  // Of the end of the process nobody is told before the end of the socket.
  const [said, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')])
  child.stderr?.destroy()
  closeSync(pipe)
  await rm(folder, { recursive: true })
  expect([said, code]).toEqual(['goes on\n', 0])
})
