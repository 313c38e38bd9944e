import { startMockEngine } from '@iii/mock-engine'
import { createLog, createStateScope, InvocationError, type TriggerRequest, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { createStamps } from './registered-at.ts'
import { createRegistry, type Mutation } from './registry.ts'
import { skillRecords } from './skills.ts'
import { subscribe } from './testing/events.ts'
import { startRegistry } from './testing/registry.ts'
import { serveStore } from './testing/store.ts'

/** A door that calls of the store wait at until the test opens it. */
function createDoor() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** The registry of a worker whose calls of the engine the test answers. */
function createRegistryOn(answer: (functionId: string, payload: object) => unknown, announced: Mutation[] = []) {
  const trigger = async ({ function_id, payload }: TriggerRequest) => answer(function_id, payload as object)
  const scope = createStateScope({ trigger: trigger as Worker['trigger'] }, 'skills')
  return createRegistry({
    ...skillRecords,
    scope: () => scope,
    stamp: createStamps(),
    announce: (mutation) => announced.push(mutation),
    log: createLog({ name: 'test', level: 'silent' }),
  })
}

describe('reading', () => {
  it('a skill is one state::get', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    store.rows.set('skills/a/b', { id: 'a/b', skill: 'x', registered_at: '2026-05-05T00:00:00Z' })
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
  it('at the same time share one state::list, and later ones ask again', async () => {
    const calls: string[] = []
    const registry = createRegistryOn((functionId) => {
      calls.push(functionId)
      return [{ id: 'a', skill: '# A', registered_at: 'x' }]
    })
    const lists = await Promise.all([registry.list(), registry.list(), registry.list()])
    expect(lists.map((entries) => entries.map(({ id, title }) => [id, title]))).toEqual([
      [['a', 'A']],
      [['a', 'A']],
      [['a', 'A']],
    ])
    expect(calls).toEqual(['state::list'])
    await registry.list()
    expect(calls).toHaveLength(2)
  })

  it('that fail do so for everybody who shares them, and the next one asks again', async () => {
    let working = false
    const registry = createRegistryOn(() => {
      if (working) return []
      throw new Error('down')
    })
    const outcomes = await Promise.allSettled([registry.list(), registry.list()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    working = true
    expect(await registry.list()).toEqual([])
  })

  it('show every registration that was acknowledged before they were asked for', async () => {
    const rows: unknown[] = []
    const door = createDoor()
    const registry = createRegistryOn(async (functionId, payload) => {
      if (functionId !== 'state::list') {
        rows.push((payload as { value: unknown }).value)
        return { old_value: null }
      }
      // Read now, answered when the door opens: the answer is still on the way when the skill is registered.
      const seen = [...rows]
      await door.opened
      return seen
    })
    const early = registry.list()
    await registry.write('a', { id: 'a', skill: 'x' })
    const late = registry.list()
    door.open()
    expect(await early).toEqual([])
    expect(await late).toMatchObject([{ id: 'a' }])
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
    const announced: Mutation[] = []
    const registry = createRegistryOn((functionId) => {
      throw new InvocationError(code, 'no', functionId)
    }, announced)
    await expect(registry.write('a', { id: 'a', skill: 'x' })).rejects.toThrow('state::set: no')
    await expect(registry.remove('a')).rejects.toThrow('state::delete: no')
    const mutations = [
      { op: 'register', key: 'a', changed: true },
      { op: 'unregister', key: 'a', changed: true },
    ]
    expect(announced).toEqual(told ? mutations : [])
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
