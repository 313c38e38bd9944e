import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStateFiles, type StateFiles } from './state-files.ts'

const MAKE_PIPE = 'mkfifo'
const WAIT = { timeout: 10_000, interval: 10 }

let parent: string
let folder: string
let said: string[]

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mock-engine-'))
  folder = join(parent, 'deep', 'data')
  said = []
})
afterEach(() => rm(parent, { recursive: true, force: true }))

function open(): Promise<StateFiles> {
  return openStateFiles(folder, (level, message) => said.push(`${level}: ${message}`))
}

async function stateFiles(where = folder): Promise<string[]> {
  return (await readdir(where)).filter((name) => name !== 'engine.lock')
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

describe('state in a folder', () => {
  it('is there after a restart, exactly and in order', async () => {
    const first = await open()
    for (const key of ['z', 'a', 'gone', 'm']) first.store.set('a/b: ünusual', key, `{"key":"${key}","n":1.0}`)
    first.store.delete('a/b: ünusual', 'gone')
    await first.close()
    const second = await open()
    expect([...second.store.entries('a/b: ünusual')]).toEqual(
      ['z', 'a', 'm'].map((key) => [key, `{"key":"${key}","n":1.0}`]),
    )
    expect(second.store.scopes()).toEqual(['a/b: ünusual'])
    await second.close()
    expect(said).toEqual([])
  })

  it('is written without being closed, and leaves no drafts', async () => {
    const files = await open()
    files.store.set('s', 'k', '1')
    await vi.waitFor(
      async () => expect(await stateFiles()).toEqual([expect.stringMatching(/^s-.*\.state\.json$/)]),
      WAIT,
    )
    await files.close()
    expect(await readdir(folder)).toHaveLength(1)
  })

  it("is its owner's alone, folder and files", async () => {
    const files = await open()
    files.store.set('s', 'k', '1')
    expect(await modeOf(folder)).toBe('700')
    expect(await modeOf(join(parent, 'deep'))).toBe('700')
    expect(await modeOf(join(folder, 'engine.lock'))).toBe('600')
    await files.close()
    const [name = ''] = await stateFiles()
    expect(await modeOf(join(folder, name))).toBe('600')
  })

  it('is closed once, however often it is asked for', async () => {
    const files = await open()
    files.store.set('s', 'k', '1')
    await Promise.all([files.close(), files.close()])
    await rm(folder, { recursive: true })
    await files.close()
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })
})

describe('a folder that cannot be used', () => {
  it('is refused when it is a file, or lies in one', async () => {
    await writeFile(join(parent, 'deep'), '')
    await expect(open()).rejects.toThrow(`state cannot be kept in the folder ${folder}: ENOTDIR: not a directory`)
    folder = join(parent, 'deep')
    await expect(open()).rejects.toThrow(`${folder} is a file`)
    folder = join(parent, 'link')
    await symlink('nowhere', folder)
    await expect(open()).rejects.toThrow(`${folder} is a symbolic link that leads nowhere`)
  })

  it('is refused at once where no folder can be made', async () => {
    folder = '/proc/x'
    await expect(open()).rejects.toThrow(/^state cannot be kept in the folder \/proc\/x: E[A-Z]+: /)
  }, 5000)

  it('is refused when it has a file that cannot be read, and is free again then', async () => {
    await mkdir(folder, { recursive: true })
    const path = join(folder, 'x.state.json')
    await writeFile(path, '{"half":')
    await expect(open()).rejects.toThrow(`${path} is no file of stored state`)
    await rm(path)
    await (await open()).close()
  })
})

describe('one folder', () => {
  it('serves one engine at a time', async () => {
    const first = await open()
    await expect(open()).rejects.toThrow(`: process ${process.pid} keeps its state there. If process`)
    await first.close()
    await (await open()).close()
  })

  it('is taken over from a process that has ended, and when a lock was never finished', async () => {
    await mkdir(folder, { recursive: true })
    const ended = spawn(process.execPath, ['-e', ''])
    await once(ended, 'exit')
    for (const text of [JSON.stringify({ pid: ended.pid }), '']) {
      await writeFile(join(folder, 'engine.lock'), text)
      const files = await open()
      expect(await readFile(join(folder, 'engine.lock'), 'utf8')).toContain(`"pid":${process.pid}`)
      await files.close()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('is never waited for: a pipe or a device in the place of its files or of the lock is named', async () => {
    await mkdir(folder, { recursive: true })
    const said = (name: string) => `${join(folder, name)} is no regular file: move it away or choose another folder`
    for (const name of ['s.state.json', 'engine.lock']) {
      execFileSync(MAKE_PIPE, [join(folder, name)])
      await expect(open()).rejects.toThrow(said(name))
      await rm(join(folder, name))
    }
    await symlink('/dev/zero', join(folder, 's.state.json'))
    await expect(open()).rejects.toThrow(said('s.state.json'))
    expect(await readdir(folder)).toEqual(['s.state.json'])
  })

  it('is not kept by a process that was given the number of one that has ended, where the system tells them apart', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'engine.lock'), JSON.stringify({ pid: process.pid, started: 'long ago' }))
    const tells = existsSync('/proc/self/stat')
    const opened = await open().catch((error: Error) => error)
    expect(opened instanceof Error).toBe(!tells)
    if (!(opened instanceof Error)) await opened.close()
  })

  it('goes to one of many who find a stale lock at the same time', async () => {
    await mkdir(folder, { recursive: true })
    for (let round = 0; round < 20; round += 1) {
      await writeFile(join(folder, 'engine.lock'), '{"pid":2147483646}')
      const opened = await Promise.allSettled(Array.from({ length: 8 }, open))
      const winners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect(winners).toHaveLength(1)
      await winners[0]?.close()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('can be had although a process ended while it took the lock over', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'engine.lock'), '{"pid":2147483646}')
    const claim = join(folder, 'engine.lock.claim')
    await writeFile(claim, '')
    await utimes(claim, 1, 1)
    await (await open()).close()
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a folder that changes under a running engine', () => {
  it('is made again with everything when it was removed', async () => {
    const files = await open()
    files.store.set('old', 'k', '1')
    await vi.waitFor(async () => expect(await stateFiles()).toHaveLength(1), WAIT)
    await rm(join(parent, 'deep'), { recursive: true })
    files.store.set('new', 'k', '2')
    await vi.waitFor(async () => expect(await stateFiles()).toHaveLength(2), WAIT)
    await rm(folder, { recursive: true })
    await files.close()
    expect(await stateFiles()).toHaveLength(2)
  })

  /** Nothing is being written any more: a file that is there may still be on its way. */
  async function openWritten(): ReturnType<typeof open> {
    const files = await open()
    files.store.set('s', 'k', '1')
    await files.close()
    return await open()
  }

  it('gets files back that somebody took out', async () => {
    const files = await open()
    files.store.set('s', 'k', '1')
    await vi.waitFor(async () => expect(await stateFiles()).toEqual([expect.stringMatching(/\.json$/)]), WAIT)
    for (const name of await stateFiles()) await rm(join(folder, name))
    await files.close()
    expect(await stateFiles()).toHaveLength(1)
  })

  it('is left alone when it was replaced by one with other state, which is said once', async () => {
    const files = await openWritten()
    await rename(folder, join(parent, 'aside'))
    await mkdir(folder)
    await writeFile(join(folder, 'other.state.json'), '["s",["k",7]]')
    files.store.set('s', 'k', '2')
    await vi.waitFor(() => expect(said).toHaveLength(1), WAIT)
    expect(said[0]).toBe(
      `error: state cannot be written to ${folder} (it was replaced and has other state in other.state.json: move that away); trying again`,
    )
    await expect(files.close()).rejects.toThrow(`state was not written to ${folder} (it was replaced`)
    expect(await readFile(join(folder, 'other.state.json'), 'utf8')).toBe('["s",["k",7]]')
    expect(await readdir(folder)).toEqual(['other.state.json'])
  })

  it('is written to as before when a copy of it came in its place', async () => {
    const files = await openWritten()
    await rename(folder, join(parent, 'aside'))
    await cp(join(parent, 'aside'), folder, { recursive: true })
    files.store.set('s', 'k', '2')
    await files.close()
    const again = await open()
    expect(again.store.get('s', 'k')).toBe('2')
    await again.close()
  })

  it('says once that it cannot be written, and that it can again', async () => {
    const files = await open()
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    files.store.set('s', 'k', '1')
    await vi.waitFor(() => expect(said).toHaveLength(1), WAIT)
    await rm(folder)
    await vi.waitFor(() => expect(said).toHaveLength(2), WAIT)
    expect(said).toEqual([
      `error: state cannot be written to ${folder} (${folder} is a file); trying again`,
      `warn: state is written to ${folder} again`,
    ])
    await files.close()
  })

  it('makes the close fail, without a stack and without harm, when the last write does', async () => {
    const files = await open()
    await rm(folder, { recursive: true })
    await writeFile(folder, 'not ours')
    files.store.set('s', 'k', '1')
    await expect(files.close()).rejects.toThrow(
      `state was not written to ${folder} (${folder} is a file): what is not in there is lost`,
    )
    expect(await readFile(folder, 'utf8')).toBe('not ours')
  })
})
