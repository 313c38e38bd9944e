import { startMockEngine } from '@iii/mock-engine'
import type { McpPrompt } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'

const prompt = (more: object = {}) => ({
  name: 'send-email',
  description: 'Compose an email',
  arguments: [{ name: 'to', description: 'Who', required: true }, { name: 'tone' }],
  function_id: 'mail::prompt',
  ...more,
})

describe('prompts::register', () => {
  it('stores one row under the name and says when', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const result = await registry.call<{ registered_at: string }>('prompts::register', prompt())
    expect(result).toEqual({ name: 'send-email', registered_at: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(await registry.call('state::get', { scope: 'prompts', key: 'send-email' })).toEqual({
      name: 'send-email',
      description: 'Compose an email',
      arguments: [
        { name: 'to', description: 'Who', required: true },
        { name: 'tone', required: false },
      ],
      function_id: 'mail::prompt',
      registered_at: result.registered_at,
    })
  })

  it('takes a prompt without arguments, and null for no description of one', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('prompts::register', prompt({ arguments: undefined }))
    await registry.call('prompts::register', prompt({ name: 'b', arguments: [{ name: 'x', description: null }] }))
    const row = await registry.call('state::get', { scope: 'prompts', key: 'b' })
    expect(row).toMatchObject({ arguments: [{ name: 'x', required: false }] })
  })

  it.each([
    [{ name: '' }, 'name must be non-empty'],
    [{ name: 'a'.repeat(65) }, 'name too long (65 chars; max 64)'],
    [{ name: 'Send' }, `name may only contain lowercase ASCII letters, digits, '-' and '_': "Send"`],
    [{ name: 'a b' }, `name may only contain lowercase ASCII letters, digits, '-' and '_': "a b"`],
    [{ name: 'a::b' }, `name may only contain lowercase ASCII letters, digits, '-' and '_': "a::b"`],
    [{ name: 'a/b' }, `name may only contain lowercase ASCII letters, digits, '-' and '_': "a/b"`],
    [{ description: '  ' }, 'description must be non-empty'],
    [{ function_id: ' ' }, 'function_id must be non-empty'],
    [{ arguments: [{ name: ' ' }] }, 'argument name must be non-empty'],
    [{ arguments: [{ name: 'to' }, { name: 'to' }] }, 'duplicate argument name: to'],
    [{ name: '', description: '', function_id: '' }, 'name must be non-empty'],
    [{ description: '', function_id: '' }, 'description must be non-empty'],
  ])('refuses %j with its reason', async (more, message) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.refusal('prompts::register', prompt(more))).toBe(`${message} [invalid_input]`)
    expect(await registry.call('prompts::list')).toEqual({ prompts: [] })
  })

  it.each(['state::set', 'engine::workers::list', 'mcp::handler', 'skills::register', 'iii.on_x', 'STATE::set'])(
    'refuses the handler %s, which is internal',
    async (function_id) => {
      await using engine = await startMockEngine()
      await using registry = await startRegistry(engine.url)
      expect(await registry.refusal('prompts::register', prompt({ function_id }))).toBe(
        `Prompt handler '${function_id}' is in an internal namespace and cannot back a prompt [forbidden]`,
      )
    },
  )
})

describe('prompts::unregister', () => {
  it('removes a prompt and says whether there was one', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('prompts::register', prompt())
    const unregister = () => registry.call('prompts::unregister', { name: 'send-email' })
    expect(await unregister()).toEqual({ name: 'send-email', removed: true })
    expect(await unregister()).toEqual({ name: 'send-email', removed: false })
    expect(await registry.refusal('prompts::unregister', { name: 'A' })).toMatch(/^name may only contain.*_input\]$/)
  })
})

describe('prompts::list and prompts::mcp-list', () => {
  it('show nothing unseen or endless, and no prompt that cannot be asked for', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const text = (length: number) => `a\u202E\u001b[31mb\u0007\r\n\tc${'\u{1F600}'.repeat(length)}`
    const args = [{ name: `x\u2066\n${'y'.repeat(300)}`, description: text(2000), required: true }]
    await registry.call('prompts::register', prompt({ description: text(2000), arguments: args }))
    for (const name of ['Send', 'a b', '\u202Ea', '']) {
      const value = { ...prompt(), name, registered_at: '2026-05-05T00:00:00Z' }
      await registry.call('state::set', { scope: 'prompts', key: name || 'k', value })
    }
    await registry.call('prompts::register', prompt({ name: 'later' }))
    await registry.call('prompts::unregister', { name: 'later' })
    const { prompts } = await registry.call<{ prompts: McpPrompt[] }>('prompts::mcp-list')
    expect(prompts).toHaveLength(1)
    const [shown] = prompts
    const [arg] = shown?.arguments ?? []
    expect(arg?.name).toMatch(/^x y+…$/)
    for (const description of [shown?.description, arg?.description]) {
      expect(description).toMatch(/^a b \n\tc\u{1F600}+…$/u)
      expect(Buffer.byteLength(description ?? '')).toBeLessThanOrEqual(4096)
    }
    expect(Buffer.byteLength(arg?.name ?? '')).toBeLessThanOrEqual(256)
  })

  it('tell all prompts, sorted by name', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.call('prompts::mcp-list')).toEqual({ prompts: [] })
    await registry.call('prompts::register', prompt())
    await registry.call('prompts::register', prompt({ name: 'a', arguments: [] }))
    const registered_at = expect.any(String)
    expect(await registry.call('prompts::list')).toEqual({
      prompts: [
        { name: 'a', function_id: 'mail::prompt', arguments: 0, registered_at, owner: 'client' },
        { name: 'send-email', function_id: 'mail::prompt', arguments: 2, registered_at, owner: 'client' },
      ],
    })
    expect(await registry.call('prompts::mcp-list')).toEqual({
      prompts: [
        { name: 'a', description: 'Compose an email', arguments: [] },
        {
          name: 'send-email',
          description: 'Compose an email',
          arguments: [
            { name: 'to', description: 'Who', required: true },
            { name: 'tone', required: false },
          ],
        },
      ],
    })
  })
})

it('prompts::list tells of one prompt alone that is named, however many there are', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  for (const name of ['a', 'b']) await registry.call('prompts::register', prompt({ name }))
  const { prompts } = await registry.call<{ prompts: object[] }>('prompts::list', { name: 'b' })
  expect(prompts).toEqual([expect.objectContaining({ name: 'b', function_id: 'mail::prompt', arguments: 2 })])
  expect(await registry.call('prompts::list', { name: 'c' })).toEqual({ prompts: [] })
})

describe('prompts::on-change', () => {
  it('fires once for each mutation, in order, and says whether anything changed', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const events = await subscribe(registry.client, 'prompts::on-change', 'test::on-change')
    await registry.call('prompts::register', prompt())
    await registry.call('prompts::register', prompt())
    await registry.call('prompts::register', prompt({ description: 'Other' }))
    await registry.call('prompts::register', prompt({ description: 'Other', arguments: [{ name: 'to' }] }))
    await registry.call('prompts::unregister', { name: 'send-email' })
    await registry.call('prompts::unregister', { name: 'send-email' })
    await registry.call('prompts::register', prompt({ name: 'b' }))
    const name = 'send-email'
    expect(await events.reach(6)).toEqual([
      { op: 'register', name, changed: true },
      { op: 'register', name, changed: false },
      { op: 'register', name, changed: true },
      { op: 'register', name, changed: true },
      { op: 'unregister', name, changed: true },
      { op: 'register', name: 'b', changed: true },
    ])
  })
})
