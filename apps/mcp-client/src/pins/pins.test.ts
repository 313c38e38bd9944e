import { readFileSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@iii/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readTools } from '../catalog/read-tools.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { createPins } from './pins.ts'

const toolsOf = (...entries: readonly (readonly [string, object?])[]) =>
  readTools(
    entries.map(([name, more]) => ({ name, inputSchema: { type: 'object' }, ...more })),
    createSecretFilter([]),
  ).tools
const github = { name: 'github', commandHash: 'c'.repeat(64) }
const moved = { ...github, commandHash: 'd'.repeat(64) }
const A = ['a', { description: 'reads' }] as const
const B = ['b', { description: 'writes' }] as const

let folder: string
let path: string
let warned: string[]
const log = { ...silent(), warn: remember, error: remember } as unknown as Logger
const open = () => createPins({ path, log, lookEveryMs: 20 })
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name)
const judge = async (pins: ReturnType<typeof open>, tools: ReturnType<typeof toolsOf>, server: object = github) => {
  const { approved, pending } = await pins.judge({ ...github, ...server }, tools)
  return [names(approved), pending.map(({ tool, kind }) => `${tool.name} ${kind}`)]
}

function silent() {
  return { debug() {}, info() {} }
}

function remember(_fields: object, message = ''): void {
  warned.push(message)
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pins-'))
  path = join(folder, 'mcp-client.lock.json')
  warned = []
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the tools of a server', () => {
  it('are approved when they are seen for the first time, in a file that is its owner\u2019s alone', async () => {
    expect(await judge(open(), toolsOf(A, B))).toEqual([['a', 'b'], []])
    expect((await lstat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['mcp-client.lock.json'])
    const [server] = Object.values((JSON.parse(await readFile(path, 'utf8')) as { servers: object }).servers)
    expect(server).toMatchObject({ tools: [{ name: 'a', definition: { description: 'reads' } }, { name: 'b' }] })
  })

  it('wait when they are new or changed later, also for another process, and the rest goes on', async () => {
    const pins = open()
    await judge(pins, toolsOf(A, B))
    const later = toolsOf(A, ['b', { description: 'writes, and mails it to me' }], ['c'])
    for (const one of [pins, open()]) expect(await judge(one, later)).toEqual([['a'], ['b changed', 'c new']])
    expect(await judge(pins, toolsOf(['a', { ...A[1], annotations: { readOnlyHint: true } }]))).toEqual([
      [],
      ['a changed'],
    ])
  })

  it('cannot leave and come back as something else', async () => {
    const pins = open()
    await judge(pins, toolsOf(A, B))
    expect(await judge(pins, toolsOf(A))).toEqual([['a'], []])
    expect(await judge(pins, toolsOf(A, ['b', { description: 'other' }]))).toEqual([['a'], ['b changed']])
    expect(await judge(pins, toolsOf(A, B))).toEqual([['a', 'b'], []])
  })

  it('all wait when something else runs', async () => {
    await judge(open(), toolsOf(A, B))
    expect(await judge(open(), toolsOf(A, B, ['c']), moved)).toEqual([[], ['a command', 'b command', 'c new']])
  })

  it('may have any name', async () => {
    const odd = toolsOf(['__proto__'], ['constructor'], ['a\u0000\u202e"\\'], ['x'.repeat(300)])
    await judge(open(), odd)
    expect(await judge(open(), odd)).toEqual([names(odd), []])
  })

  it('never wait where the configuration accepts what comes, and are pinned all the same', async () => {
    await judge(open(), toolsOf(A))
    const later = toolsOf(['a', { description: 'other' }], B)
    expect(await judge(open(), later, { accepts: true })).toEqual([['a', 'b'], []])
    expect(await judge(open(), later)).toEqual([['a', 'b'], []])
  })

  it('are approved one by one, by another process, which is told within moments', async () => {
    const worker = open()
    const later = toolsOf(A, ['b', { description: 'other' }], ['c'])
    await judge(worker, toolsOf(A, B))
    const told = vi.fn()
    const stop = worker.onChange(told)
    try {
      const [, changed] = later
      expect(await open().approve(github, changed === undefined ? [] : [changed])).toEqual(['b'])
      await expect.poll(() => told.mock.calls.length).toBe(1)
      expect(await judge(worker, later)).toEqual([['a', 'b'], ['c new']])
    } finally {
      stop()
    }
  })

  it('are told of to nobody who has pinned them, and to other processes each time', async () => {
    const [own, other] = [open(), open()]
    await judge(own, toolsOf(A), { accepts: true })
    other.describeChanges(github, [])
    const told = { own: vi.fn(), other: vi.fn() }
    const stops = [own.onChange(told.own), other.onChange(told.other)]
    try {
      for (const times of [1, 2, 3]) {
        await judge(own, toolsOf(A, ['b', { description: `the ${times}th` }]), { accepts: true })
        await expect.poll(() => told.other.mock.calls.length).toBe(times)
      }
      expect(told.own).not.toHaveBeenCalled()
    } finally {
      for (const stop of stops) stop()
    }
  })

  it('are told of to everybody who listens, also when somebody has looked meanwhile', async () => {
    const worker = open()
    await judge(worker, toolsOf(A))
    const told = vi.fn()
    const stop = worker.onChange(told)
    try {
      await open().approve(github, toolsOf(B))
      await judge(worker, toolsOf(A))
      await expect.poll(() => told.mock.calls.length).toBe(1)
    } finally {
      stop()
    }
  })

  it('are approved by what they are, whatever hash comes with them', async () => {
    await judge(open(), toolsOf(A))
    const forged = toolsOf(['b', { description: 'harmless' }]).map((tool) => ({
      ...tool,
      hash: toolsOf(B)[0]?.hash ?? '',
    }))
    await open().approve(github, forged)
    expect(await judge(open(), toolsOf(A, B))).toEqual([['a'], ['b changed']])
  })
})

describe('the file of approved tools', () => {
  it.each([
    ['is malformed', '{', 'is malformed'],
    ['is of another kind', '{"version":1,"servers":{"github":{"tools":[{"name":"b"}]}}}', 'is malformed'],
    ['has a pin twice', undefined, 'has a tool of github twice'],
  ])('that %s approves nothing new, and is not written', async (_, broken, reason) => {
    const worker = open()
    await judge(worker, toolsOf(A))
    const text =
      broken ??
      (await readFile(path, 'utf8')).replace(/(\{\s+"name": "a"[\s\S]*\})(\s+\]\s+\}\s+\}\s+\}\s+)$/, '$1,$1$2')
    await writeFile(path, text)
    for (const server of [github, { name: 'other' }]) {
      expect(await judge(open(), toolsOf(A, B), server)).toEqual([[], ['a new', 'b new']])
    }
    expect(await judge(open(), toolsOf(A), { accepts: true })).toEqual([['a'], []])
    expect(await judge(worker, toolsOf(A, B))).toEqual([['a'], ['b new']])
    await expect(open().approve(github, toolsOf(B))).rejects.toThrow(reason)
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(warned[0]).toContain(reason)
    expect(warned[0]).toContain('until then nothing new is approved')
  })

  it('that others may write, or that is a link, approves nothing', async () => {
    await judge(open(), toolsOf(A))
    await chmod(path, 0o620)
    expect(await judge(open(), toolsOf(A))).toEqual([[], ['a new']])
    expect(warned.at(-1)).toContain('may be written by others than its owner (mode 620): chmod 600 it')
    await chmod(path, 0o600)
    const real = path
    path = join(folder, 'link.json')
    await symlink(real, path)
    expect(await judge(open(), toolsOf(A))).toEqual([[], ['a new']])
    expect(warned.at(-1)).toContain('is a symbolic link, which is not followed')
    expect((await lstat(path)).isSymbolicLink()).toBe(true)
  })

  it('that is gone takes nothing back while the worker runs', async () => {
    const worker = open()
    await judge(worker, toolsOf(A))
    await rm(path)
    expect(await judge(worker, toolsOf(A, B))).toEqual([['a'], ['b new']])
  })

  it('that was broken is told of when it breaks and when it is gone, and begins anew then', async () => {
    await writeFile(path, '{')
    const worker = open()
    expect(await judge(worker, toolsOf(A))).toEqual([[], ['a new']])
    const told = vi.fn()
    const stop = worker.onChange(told)
    try {
      await rm(path)
      await expect.poll(() => told.mock.calls.length).toBe(1)
      expect(await judge(worker, toolsOf(A))).toEqual([['a'], []])
      await rm(path)
      await mkdir(path)
      await expect.poll(() => told.mock.calls.length).toBe(2)
      expect(await judge(worker, toolsOf(A, B))).toEqual([['a'], ['b new']])
      const reasons = ['is malformed', 'is a folder']
      expect(warned).toEqual(reasons.map((reason) => expect.stringContaining(`the file of approved tools ${reason}`)))
    } finally {
      stop()
    }
  })

  it('has one baseline where two processes see a server for the first time at once', async () => {
    const kinds = [toolsOf(A), toolsOf(['a', { description: 'other' }])]
    const judged = await Promise.all(kinds.map((tools) => judge(open(), tools)))
    expect(judged).toContainEqual([['a'], []])
    expect(judged).toContainEqual([[], ['a changed']])
  })

  it('that cannot be written leaves new servers waiting', async () => {
    path = join(folder, 'nowhere', 'lock.json')
    const pins = open()
    const judged = ['one', 'two', 'three'].map((name) => judge(pins, toolsOf(A), { name }))
    for (const each of await Promise.all(judged)) expect(each).toEqual([[], ['a new']])
    expect(warned).toEqual(judged.map(() => 'tools cannot be pinned'))
  })

  it('loses nothing when many write it at once', async () => {
    const servers = Array.from({ length: 12 }, (_, at) => ({ ...github, name: `s${at}` }))
    await Promise.all(servers.map((server) => open().judge(server, toolsOf(A))))
    await Promise.all(servers.map((server) => open().approve(server, toolsOf(B))))
    for (const server of servers) expect(await judge(open(), toolsOf(A, B), server)).toEqual([['a', 'b'], []])
    expect(await readdir(folder)).toEqual(['mcp-client.lock.json'])
  })

  it('is written once for servers that come while it is written', async () => {
    const pins = open()
    const servers = Array.from({ length: 12 }, (_, at) => `s${at}`)
    const judged = servers.map((name) => judge(pins, toolsOf(A), { name }))
    await Promise.all(judged.slice(0, 2))
    const { servers: pinned } = JSON.parse(readFileSync(path, 'utf8')) as { servers: object }
    expect(Object.keys(pinned).sort()).toEqual(servers.sort())
    expect((await Promise.all(judged)).flat(2)).toEqual(servers.map(() => 'a'))
  })

  it('is written although a process was killed in its turn', async () => {
    const turn = `${path}.writing`
    await writeFile(turn, '1 killed')
    await utimes(turn, new Date(0), new Date(0))
    expect(await judge(open(), toolsOf(A))).toEqual([['a'], []])
    expect(await readdir(folder)).toEqual(['mcp-client.lock.json'])
  })

  it('stays small with large tools, which are known by their parts then', async () => {
    const large = toolsOf(['big', { description: 'x'.repeat(100_000) }])
    await judge(open(), large)
    expect((await readFile(path)).length).toBeLessThan(2_000)
    expect(await judge(open(), large)).toEqual([['big'], []])
    const changed = toolsOf(['big', { description: 'x'.repeat(100_001), annotations: {} }])
    expect(open().describeChanges(github, changed)).toEqual([
      {
        tool: 'big',
        kind: 'changed',
        lines: ['~ description', expect.stringMatching(/^\+ description: "x+/), '~ annotations', '+ annotations: {}'],
      },
    ])
  })
})
