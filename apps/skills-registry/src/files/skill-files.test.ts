import { createSharedState, startMockEngine } from '@iii/mock-engine'
import type { ResourceContents } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry } from '../testing/registry.ts'
import { startSweep } from './sweep.ts'

const SKILL = '---\nname: orders\ndescription: Orders.\n---\n'
const files = [{ path: 'a.txt', text: 'a' }]
const uri = 'skill://orders/a.txt'

const read = async (call: <T>(id: string, payload: object) => Promise<T>, address = uri) =>
  (await call<{ contents: ResourceContents[] }>('skills::resources-read', { uri: address })).contents[0]

describe('the files of skills', () => {
  it('are written back with the skills when the store is emptied', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'orders', skill: SKILL, files })
    expect(await read(registry.call)).toMatchObject({ text: 'a' })
    for (const scope of sharedState.scopes()) {
      for (const [key] of [...sharedState.entries(scope)]) sharedState.delete(scope, key)
    }
    await engine.restart()
    await vi.waitFor(async () => expect(await read(registry.call)).toMatchObject({ text: 'a' }), { timeout: 10_000 })
    expect([...sharedState.entries('skills::files')]).toHaveLength(1)
  })

  it('are written back also where nobody has read any since the registry was started', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    {
      await using first = await startRegistry(engine.url)
      await first.call('skills::register', { id: 'orders', skill: SKILL, files })
    }
    const [stored = ''] = sharedState.values('skills::files')
    const { registered_at } = JSON.parse(stored) as { registered_at: string }
    let isRead = false
    engine.onFrame(({ direction, text }) => {
      isRead ||= direction === 'out' && text.includes('"text":"a"') && text.includes(registered_at)
    })
    await using registry = await startRegistry(engine.url)
    await vi.waitFor(() => expect(isRead).toBe(true), { timeout: 10_000 })
    await registry.call('skills::files', { id: 'orders' })
    for (const scope of sharedState.scopes()) {
      for (const [row] of [...sharedState.entries(scope)]) sharedState.delete(scope, row)
    }
    await engine.restart()
    const rows = () => [...sharedState.entries('skills::files')]
    await vi.waitFor(() => expect(rows()).toHaveLength(1), { timeout: 10_000 })
    expect(await read(registry.call)).toMatchObject({ text: 'a' })
  })

  it('are read by a registry as soon as another one has registered them', async () => {
    const sharedState = createSharedState()
    await using one = await startMockEngine({ sharedState })
    await using other = await startMockEngine({ sharedState })
    await using first = await startRegistry(one.url)
    await using second = await startRegistry(other.url)
    await second.call('skills::register', { id: 'bare', skill: SKILL })
    await second.call('skills::list')
    expect(sharedState.scopes().filter((scope) => scope.includes('files'))).toEqual([])
    let isRead = false
    other.onFrame(({ direction, text }) => {
      isRead ||= direction === 'out' && text.includes('"text":"a"')
    })
    await first.call('skills::register', { id: 'orders', skill: SKILL, files })
    await vi.waitFor(() => expect(isRead).toBe(true), { timeout: 10_000 })
  })

  it('are those of every registry with the same store, on another engine too', async () => {
    const sharedState = createSharedState()
    await using one = await startMockEngine({ sharedState })
    await using other = await startMockEngine({ sharedState })
    await using first = await startRegistry(one.url)
    await using second = await startRegistry(other.url)
    await first.call('skills::register', { id: 'orders', skill: SKILL, files })
    expect(await read(second.call)).toMatchObject({ text: 'a' })
    await second.call('skills::register', { id: 'orders', skill: SKILL, files: [{ path: 'a.txt', text: 'b' }] })
    expect(await read(first.call)).toMatchObject({ text: 'b' })
    await first.call('skills::register', { id: 'orders', skill: SKILL })
    expect(await second.fault('skills::resources-read', { uri })).toMatchObject({ code: 'not_found' })
  })

  it('are told and read by the id of their skill, also where no host is served it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const given = [...files, { path: 'B/logo.bin', base64: 'AP8=' }]
    await registry.call('skills::register', { id: 'a--b', skill: 'x', files: given })
    const { files: facts } = await registry.call<{ files: unknown }>('skills::files', { id: 'a--b' })
    expect(facts).toMatchObject([
      { path: 'B/logo.bin', bytes: 2 },
      { path: 'a.txt', bytes: 1 },
    ])
    const readFile = (path: string) => ({ id: 'a--b', path })
    expect(await registry.call('skills::file-read', readFile('B/logo.bin'))).toEqual({ base64: 'AP8=' })
    expect(await registry.call('skills::file-read', readFile('a.txt'))).toEqual({ text: 'a' })
    expect(await registry.refusal('skills::file-read', readFile('b.txt'))).toBe(
      'The skill a--b has no file b.txt [not_found]',
    )
    expect(await registry.refusal('skills::files', { id: 'none' })).toBe('Skill not found: none [not_found]')
  })

  it('belong to the owner of the skill: nobody else stores any while ownership is strict', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await registry.call('skills::register', { id: 'orders', skill: SKILL, files })
    await using foreign = await startRegistry(engine.url, { ownership: 'strict' })
    const worker = foreign.worker
    const payload = { id: 'orders', skill: SKILL, files: [{ path: 'a.txt', text: 'theirs' }] }
    await expect(worker.trigger({ function_id: 'skills::register', payload })).rejects.toThrow('belongs to the worker')
    expect([...sharedState.entries('skills::files')]).toHaveLength(1)
    expect(await read(registry.call)).toMatchObject({ text: 'a' })
  })

  it('are removed from the store once no skill has named them for a while, and not before', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'orders', skill: SKILL, files })
    await registry.call('skills::register', { id: 'orders', skill: SKILL, files: [{ path: 'a.txt', text: 'new' }] })
    const rows = () => [...sharedState.values('skills::files')].map((row) => (JSON.parse(row) as { text: string }).text)
    expect(rows().sort()).toEqual(['a', 'new'])

    const stored = [...sharedState.values('skills::files')].map((row) => JSON.parse(row) as Record<string, string>)
    const infos = stored.map((row) => ({
      id: 'orders',
      sha256: row['sha256'] ?? '',
      bytes: 1,
      registered_at: row['registered_at'] ?? '',
    }))
    const old = infos[stored.findIndex(({ text }) => text === 'a')]?.sha256
    const fact = {
      path: 'a.txt',
      sha256: infos.find(({ sha256 }) => sha256 !== old)?.sha256 ?? '',
      bytes: 3,
      mimeType: 'text/plain',
    }
    const skill = { id: 'orders', skill: SKILL, registered_at: '', files: [fact] }
    const removed: string[] = []
    let now = Date.now()
    const { sweep } = startSweep({
      worker: registry.worker,
      skills: {
        list: async () => [
          { ...skill, bytes: 1, owner: undefined, title: undefined, summary: undefined, priority: undefined },
        ],
        read: async () => skill,
      },
      files: {
        list: async () => infos,
        remove: async ({ sha256 }) => void removed.push(sha256),
      },
      log: createTextLog(),
      graceMs: 1000,
      now: () => now,
    })
    await sweep()
    expect(removed).toEqual([])
    now += 5000
    await sweep()
    expect(removed).toEqual([old])
  })

  it('are not asked for where no skill ever had one', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'orders', skill: SKILL })
    await registry.call('skills::mcp-list')
    expect(sharedState.scopes().filter((scope) => scope.includes('files'))).toEqual([])
  })
})
