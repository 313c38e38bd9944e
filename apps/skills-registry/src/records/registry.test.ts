import { startMockEngine } from '@iii/mock-engine'
import { createLog, InvocationError, type TriggerRequest, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { skillRecords } from '../skills/skills.ts'
import { openCollection } from '../store/collection.ts'
import type { ChangeEvent } from '../store/replica.ts'
import { createRowWriter } from '../store/writer.ts'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'
import { serveStore } from '../testing/store.ts'
import { toPage } from './page.ts'

/** A door that calls of the store wait at until the test opens it. */
function createDoor() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('reading', () => {
  it('a skill is one state::get', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    await registry.call('skills::register', { id: 'a/b', skill: 'x' })
    store.calls.length = 0
    await registry.call('skills::resources-read', { uri: 'iii://a/b' })
    await registry.call('skill::fetch', { uri: 'iii://a/b' })
    expect(store.calls).toEqual(['get skills/a/b', 'get skills/a/b'])
  })

  it('a registration is one state::set, and a removal one state::delete', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    await registry.call('skills::register', { id: 'a', skill: 'x' })
    await registry.call('skills::unregister', { id: 'a' })
    expect(store.calls).toEqual(['set skills/a', 'delete skills/a'])
  })
})

describe('lists', () => {
  it('read no body', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    await registry.call('skills::register', { id: 'a', skill: 'x' })
    store.calls.length = 0
    for (const id of ['skills::list', 'skills::resources-list', 'prompts::list', 'prompts::mcp-list']) {
      await registry.call(id)
    }
    await registry.call('skills::resources-read', { uri: 'iii://skills' })
    expect(store.calls).toEqual([])
  })

  it('that are larger than a message say how many entries they leave out', () => {
    const entries = Array.from({ length: 100 }, (_, at) => ({ id: String(at).padStart(8, '0') }))
    expect(toPage(entries)).toEqual({ items: entries })
    expect(toPage(entries, 100 * 18)).toEqual({ items: entries })
    expect(toPage(entries, 100 * 18 - 1)).toEqual({ items: entries.slice(0, 99), left_out: 1 })
  })
})

describe('a row under another key than its own', () => {
  it('is not listed and not found by what it calls itself, but can be read where it lies', async () => {
    await using engine = await startMockEngine()
    const row = { id: 'a', skill: '# A', registered_at: '2026-05-05T00:00:00Z' }
    await engine.call('state::set', { scope: 'skills', key: 'b', value: row })
    await using registry = await startRegistry(engine.url)
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
    expect(await registry.refusal('skills::resources-read', { uri: 'iii://a' })).toBe(
      'Skill not found: a. iii://skills has all of them [not_found]',
    )
    expect(await registry.call('skills::resources-read', { uri: 'iii://b' })).toMatchObject({
      contents: [{ text: '# A' }],
    })
    await registry.call('skills::register', { id: 'b', skill: '# B' })
    expect(await registry.call('skills::list')).toMatchObject({ skills: [{ id: 'b' }] })
  })
})

describe('mutations', () => {
  it('of one id are written and announced in the order they came', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    const written: string[] = []
    let writing = 0
    store.before = async (call) => {
      if (call !== 'set skills/a') return
      written.push(String(++writing))
      await new Promise((resolve) => setImmediate(resolve))
      writing -= 1
    }
    const bodies = ['one', 'one', 'two', 'two', 'three', 'one']
    const stamps = await Promise.all(
      bodies.map(async (skill) => {
        const { registered_at } = await registry.call<{ registered_at: string }>('skills::register', { id: 'a', skill })
        return { skill, registered_at }
      }),
    )
    expect(written).toEqual(bodies.map(() => '1'))
    // The engine keeps no order between calls, so the stamps tell in which order the registry took them.
    const order = stamps.toSorted((a, b) => (a.registered_at < b.registered_at ? -1 : 1)).map(({ skill }) => skill)
    expect(await events.reach(bodies.length)).toEqual(
      order.map((skill, n) => ({ op: 'register', id: 'a', changed: skill !== order[n - 1] })),
    )
    expect(store.rows.get('skills/a')).toMatchObject({ skill: order.at(-1) })
  })

  it('of one id do not wait for those of another', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    const door = createDoor()
    store.before = (call) => (call === 'set skills/slow' ? door.opened : undefined)
    const slow = registry.call('skills::register', { id: 'slow', skill: 'x' })
    await registry.call('skills::register', { id: 'fast', skill: 'x' })
    door.open()
    await slow
  })

  it('that the store refuses are errors, and nobody is told', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    store.before = () => {
      throw new Error('disk full')
    }
    expect(await registry.refusal('skills::register', { id: 'a', skill: 'x' })).toBe('state::set: disk full [internal]')
    expect(await registry.refusal('skills::unregister', { id: 'a' })).toBe('state::delete: disk full [internal]')
    store.before = () => undefined
    await registry.call('skills::register', { id: 'b', skill: 'x' })
    expect(await events.reach(1)).toEqual([{ op: 'register', id: 'b', changed: true }])
  })

  it.each([
    ['TIMEOUT', true],
    ['connection_lost', true],
    ['invocation_stopped', true],
    ['function_not_found', false],
    ['VALUE_TOO_LARGE', false],
  ])('that end in %s are errors; subscribers are told to look when the outcome is unknown: %s', async (code, told) => {
    const announced: ChangeEvent[] = []
    const trigger = async ({ function_id }: TriggerRequest) => {
      throw new InvocationError(code, 'no', function_id)
    }
    const collection = openCollection({
      worker: { trigger: trigger as Worker['trigger'] },
      scope: 'skills',
      timeoutMs: () => 1000,
      kind: skillRecords,
      announce: (change) => announced.push(change),
      log: createLog({ name: 'test', level: 'silent' }),
    })
    collection.replica.epoch = 'read'
    const writer = createRowWriter(collection, () => undefined)
    await expect(writer.write({ id: 'a', skill: 'x', registered_at: 'now' })).rejects.toThrow('state::set: no')
    await expect(writer.remove('a')).rejects.toThrow('state::delete: no')
    expect(announced.map(({ op, key, changed }) => ({ op, key, changed }))).toEqual(
      told
        ? [
            { op: 'register', key: 'a', changed: true },
            { op: 'unregister', key: 'a', changed: true },
          ]
        : [],
    )
  })

  it('whose outcome is unknown are errors, and subscribers are told to look', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { stateTimeoutMs: 200 })
    const store = await serveStore(registry.client)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    store.before = () => new Promise(() => undefined)
    expect(await registry.refusal('skills::register', { id: 'a', skill: 'x' })).toMatch(/^state::set: .*\[deadline\]$/)
    expect(await events.reach(1)).toEqual([{ op: 'register', id: 'a', changed: true }])
  })
})
