import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createReattach } from '../wire/reattach.ts'
import { createReattachFile } from './reattach-file.ts'

const TOKEN = 'token-canary'
const URL_OF_ENGINE = 'ws://user:secret-canary@127.0.0.1:1/'
const FORMER = { workerId: 'w-1', token: TOKEN }

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-reattach-'))
  path = join(folder, 'last')
})
afterEach(() => rm(folder, { recursive: true }))

const open = (url = URL_OF_ENGINE) => {
  const log = createRecordedLog()
  return { log, file: createReattachFile({ path, url, log, platform: 'linux' }) }
}

describe('the file of the last connection', () => {
  it('is for its owner alone, tells no password, and is gone when the process leaves', async () => {
    const { log, file } = open()
    expect(file.read()).toBeUndefined()
    file.write({ workerId: 'w-0', token: 'older' })
    file.write(FORMER)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).not.toContain('secret-canary')
    expect([open().file.read(), open('ws://127.0.0.1:2/').file.read()]).toEqual([FORMER, undefined])
    file.forget()
    file.forget()
    expect([await readdir(folder), log.lines]).toEqual([[], []])
  })

  it.each<[string, () => Promise<unknown>, string]>([
    ['others may read', () => chmod(path, 0o640), 'may be read by others: chmod 600'],
    ['is no JSON', () => writeFile(path, `${TOKEN} {`), 'cannot be used (it is not what such a process writes)'],
    ['lacks something', () => writeFile(path, `{"reattach_token":"${TOKEN}"}`), 'cannot be used'],
    ['is too long', () => writeFile(path, TOKEN.repeat(1_000)), 'at most 4096 are read'],
    ['is a link', () => rm(path).then(() => symlink('/etc/hostname', path)), 'cannot be used (ELOOP)'],
  ])('is left as it is where it %s, which is said once and without what is in it', async (_, spoil, problem) => {
    open().file.write(FORMER)
    await spoil()
    const look = async () => [await readdir(folder), (await lstat(path)).ino, await readFile(path, 'utf8')]
    const before = await look()
    const { log, file } = open()
    expect([file.read(), file.read()]).toEqual([undefined, undefined])
    file.write({ workerId: 'w-2', token: TOKEN })
    file.forget()
    expect(await look()).toEqual(before)
    expect(log.messages('warn')).toEqual([expect.stringContaining(problem)])
    expect(JSON.stringify(log.lines)).not.toContain(TOKEN)
  })

  it('is left to the next process by one that leaves before an engine has greeted it', () => {
    open().file.write(FORMER)
    createReattach(open().file).closed()
    expect(open().file.read()).toEqual(FORMER)
  })

  it('is used where it is empty, as tools make it that find a free name', async () => {
    await writeFile(path, '', { mode: 0o600 })
    const { log, file } = open()
    expect(file.read()).toBeUndefined()
    file.write(FORMER)
    expect([open().file.read(), log.lines]).toEqual([FORMER, []])
  })

  it.each([
    ['ENOENT', 'none/last'],
    ['ENOTDIR', 'other/last'],
    ['ENAMETOOLONG', 'l'.repeat(250)],
  ])('that cannot be written (%s) is said to be so, and nothing else happens', async (code, name) => {
    await writeFile(join(folder, 'other'), 'a file')
    const log = createRecordedLog()
    const file = createReattachFile({ path: join(folder, name), url: URL_OF_ENGINE, log })
    file.write(FORMER)
    file.write(FORMER)
    file.forget()
    expect(log.messages('warn')).toEqual([expect.stringContaining(`cannot be written (${code})`)])
  })
})

describe.each<EngineGeneration>(['0.22', '0.23'])(
  'a process that starts after one that the engine takes for alive, on %s',
  (engine) => {
    it('has the engine end that, and has its name and functions at once', async () => {
      await using stage = await startMockStage(() => startMockEngine({ engine }))
      const { url } = stage.engine
      const offer = async () => {
        const worker = await stage.connect({
          name: 'shop',
          reattach: createReattachFile({ path, url, log: stage.log }),
        })
        worker.registerFunction('shop::who', () => worker.instance)
        await worker.ready()
        return worker
      }
      const before = await offer()
      const { workerId } = before
      const states: string[] = []
      before.onStateChange((state) => states.push(state))
      const after = await offer()
      await vi.waitFor(() => expect(states[0]).toBe('connecting'))
      const caller = await stage.connect({ name: 'caller' })
      const { workers } = await caller.trigger<{ workers: { id: string; name: string }[] }>({
        function_id: 'engine::workers::list',
      })
      expect(workers.find(({ id }) => id === after.workerId)?.name).toBe('shop')
      expect(workers.some(({ id }) => id === workerId)).toBe(false)
    })

    it('goes on as if there were nothing where what it remembers is old', async () => {
      await using stage = await startMockStage(() => startMockEngine({ engine }))
      const { url } = stage.engine
      createReattachFile({ path, url, log: stage.log }).write({ workerId: crypto.randomUUID(), token: TOKEN })
      const other = await stage.connect({ name: 'other' })
      const worker = await stage.connect({ name: 'shop', reattach: createReattachFile({ path, url, log: stage.log }) })
      expect([worker.state, other.state]).toEqual(['connected', 'connected'])
      await worker.shutdown()
      expect(await readdir(folder)).toEqual([])
      expect(JSON.stringify(stage.log.lines)).not.toContain(TOKEN)
    })
  },
)
