import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'

const RFC_3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/

describe('skills::register', () => {
  it('stores one row under the id and says when', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const skill = '\uFEFF---\r\nname: x\r\n---\n# Send\u0007 😀  \n'
    const result = await registry.call<{ registered_at: string }>('skills::register', { id: 'resend/email', skill })
    expect(result).toEqual({ id: 'resend/email', registered_at: expect.stringMatching(RFC_3339_UTC) })
    const row = await registry.call('state::get', { scope: 'skills', key: 'resend/email' })
    expect(row).toEqual({ id: 'resend/email', skill, registered_at: result.registered_at })
  })

  it('replaces the body and refreshes the time when the id is registered again', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const register = (skill: string) => registry.call<{ registered_at: string }>('skills::register', { id: 'a', skill })
    const stamps = [await register('one'), await register('one'), await register('two')].map((r) => r.registered_at)
    expect(new Set(stamps).size).toBe(3)
    expect(stamps).toEqual(stamps.toSorted())
    expect(await registry.call('skills::list')).toEqual({
      skills: [{ id: 'a', bytes: 3, registered_at: stamps[2], owner: 'client' }],
    })
  })

  it.each([
    ['', 'id must be non-empty'],
    ['/a', `id may not have a leading or trailing '/': "/a"`],
    ['a/', `id may not have a leading or trailing '/': "a/"`],
    ['a//b', 'invalid id (segment 2 of "a//b"): segment must be non-empty'],
    [
      'Orders',
      `invalid id (segment 1 of "Orders"): segment may only contain lowercase ASCII letters, digits, '-' and '_': "Orders"`,
    ],
    [
      'a b',
      `invalid id (segment 1 of "a b"): segment may only contain lowercase ASCII letters, digits, '-' and '_': "a b"`,
    ],
    [
      'a::b',
      `invalid id (segment 1 of "a::b"): segment may only contain lowercase ASCII letters, digits, '-' and '_': "a::b"`,
    ],
    [
      `a/${'b'.repeat(65)}`,
      `invalid id (segment 2 of "a/${'b'.repeat(65)}"): segment too long (65 chars; max 64): "${'b'.repeat(65)}"`,
    ],
    ['fn', 'id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "fn"'],
    ['fn/a', 'id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "fn/a"'],
  ])('refuses the id %j with its reason', async (id, message) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('skills::register', { id, skill: 'x' })).toBe(`${message} [invalid_input]`)
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
  })

  it('refuses ids over 1024 bytes and the words that other addresses stand for', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const long = Array.from({ length: 16 }, () => 'a'.repeat(64)).join('/')
    expect(await registry.refusal('skills::register', { id: long, skill: 'x' })).toBe(
      `id too long (1039 chars; max 1024): "${long}" [invalid_input]`,
    )
    for (const root of ['functions', 'workers', 'triggers', 'context', 'skills']) {
      expect(await registry.refusal('skills::register', { id: `${root}/a`, skill: 'x' })).toMatch(
        /^id may not have ".*" as its first segment \(reserved for .*\[invalid_input\]$/,
      )
    }
    for (const id of [long.slice(0, 1024), 'docs/fn-reference', 'a/fn', 'a/skills', 'a_-0']) {
      expect(await registry.call('skills::register', { id, skill: 'x' })).toMatchObject({ id })
    }
  })

  it('takes a body of one character up to 262144 bytes', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const register = (skill: string) => registry.call('skills::register', { id: 'a', skill })
    await register(' ')
    await register('é'.repeat(131_072))
    expect(await registry.refusal('skills::register', { id: 'a', skill: '' })).toBe(
      'skill must be non-empty [invalid_input]',
    )
    expect(await registry.refusal('skills::register', { id: 'a', skill: `${'é'.repeat(131_072)}x` })).toBe(
      'skill body too large (262145 bytes; max 262144) [invalid_input]',
    )
  })

  it('names the field that is missing or of another type', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('skills::register', { id: 'a' })).toMatch(/skill.*\[invalid_input\]$/)
    expect(await registry.refusal('skills::register', { id: 7, skill: 'x' })).toMatch(/id.*\[invalid_input\]$/)
  })

  it('ignores keys it does not know', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'a', skill: 'x', tools: [] })
    const row = await registry.call<object>('state::get', { scope: 'skills', key: 'a' })
    expect(Object.keys(row).sort()).toEqual(['id', 'registered_at', 'skill'])
  })
})

describe('skills::unregister', () => {
  it('removes a skill and says whether there was one', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'a/b', skill: 'x' })
    expect(await registry.call('skills::unregister', { id: 'a/b' })).toEqual({ id: 'a/b', removed: true })
    expect(await registry.call('skills::unregister', { id: 'a/b' })).toEqual({ id: 'a/b', removed: false })
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
  })

  it('leaves children and siblings alone', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    for (const id of ['a', 'a/b', 'b']) await registry.call('skills::register', { id, skill: 'x' })
    await registry.call('skills::unregister', { id: 'a' })
    const { skills } = await registry.call<{ skills: { id: string }[] }>('skills::list')
    expect(skills.map(({ id }) => id)).toEqual(['a/b', 'b'])
  })

  it('refuses what could never have been an id', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('skills::unregister', { id: '' })).toBe('id must be non-empty [invalid_input]')
    expect(await registry.refusal('skills::unregister', { id: 'A' })).toMatch(/^invalid id .*\[invalid_input\]$/)
  })

  it('removes rows of old stores whose ids are reserved today', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const value = { id: 'skills', skill: 'x', registered_at: '2026-05-05T00:00:00.000000001+00:00' }
    await registry.call('state::set', { scope: 'skills', key: 'skills', value })
    expect(await registry.call('skills::unregister', { id: 'skills' })).toEqual({ id: 'skills', removed: true })
  })
})

describe('skills::list', () => {
  it('tells id, bytes, time and owner of every skill, sorted by id, without bodies', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    for (const [id, skill] of [
      ['b', 'é'],
      ['a/b', 'xyz'],
      ['a', 'x'],
      ['a-b', 'xy'],
    ]) {
      await registry.call('skills::register', { id, skill })
    }
    const registered_at = expect.stringMatching(RFC_3339_UTC)
    expect(await registry.call('skills::list')).toEqual({
      skills: [
        { id: 'a', bytes: 1, registered_at, owner: 'client' },
        { id: 'a-b', bytes: 2, registered_at, owner: 'client' },
        { id: 'a/b', bytes: 3, registered_at, owner: 'client' },
        { id: 'b', bytes: 2, registered_at, owner: 'client' },
      ],
    })
  })

  it('lists the rows of an older registry, reserved ids included, and leaves out what is no skill', async () => {
    await using engine = await startMockEngine()
    const old = { skill: '# Old', registered_at: '2026-05-05T10:00:00.123456789+00:00' }
    const set = (key: string, value: unknown) => engine.call('state::set', { scope: 'skills', key, value })
    await set('functions', { id: 'functions', ...old })
    await set('old', { id: 'old', ...old })
    await set('junk', { nothing: true })
    await set('text', 'text')
    await using registry = await startRegistry(engine.url)
    const { registered_at } = old
    expect(await registry.call('skills::list')).toEqual({
      skills: [
        { id: 'functions', bytes: 5, registered_at },
        { id: 'old', bytes: 5, registered_at },
      ],
    })
  })
})

describe('skills::on-change', () => {
  it('fires once for each mutation, in order, and says whether anything changed', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    await registry.call('skills::register', { id: 'a', skill: 'one' })
    await registry.call('skills::register', { id: 'a', skill: 'one' })
    await registry.call('skills::register', { id: 'a', skill: 'two' })
    await registry.call('skills::unregister', { id: 'a' })
    await registry.call('skills::unregister', { id: 'a' })
    await registry.call('skills::register', { id: 'a', skill: 'two' })
    expect(await events.reach(5)).toEqual([
      { op: 'register', id: 'a', changed: true },
      { op: 'register', id: 'a', changed: false },
      { op: 'register', id: 'a', changed: true },
      { op: 'unregister', id: 'a', changed: true },
      { op: 'register', id: 'a', changed: true },
    ])
  })

  it('says nothing of a registration that was refused', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    await registry.fault('skills::register', { id: 'A', skill: 'x' })
    await registry.call('skills::register', { id: 'b', skill: 'x' })
    expect(await events.reach(1)).toEqual([{ op: 'register', id: 'b', changed: true }])
  })
})
