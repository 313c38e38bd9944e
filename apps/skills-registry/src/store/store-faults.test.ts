import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'
import { serveStore } from '../testing/store.ts'

describe('a store that cannot be read', () => {
  const reads: [functionId: string, payload: object][] = [
    ['skills::list', {}],
    ['skills::resources-list', {}],
    ['skills::resources-read', { uri: 'iii://skills' }],
    ['skill::fetch', { uri: 'iii://skills' }],
    ['prompts::list', {}],
    ['prompts::mcp-list', {}],
  ]

  it.each(reads)('is an error of %s %j', async (functionId, payload) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    store.before = () => {
      throw new Error('disk on fire')
    }
    expect(await registry.refusal(functionId, payload)).toMatch(/^state::\w+: disk on fire \[internal\]$/)
    store.before = () => undefined
    await registry.call(functionId, payload)
  })

  it.each([
    ['skills::resources-read', { uri: 'iii://a' }],
    ['prompts::mcp-get', { name: 'a' }],
  ])('is an error of %s %j', async (functionId, payload) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    store.before = () => {
      throw new Error('disk on fire')
    }
    expect(await registry.refusal(functionId, payload)).toBe('state::get: disk on fire [internal]')
  })

  it('does not tell where it keeps what, or how it gets in', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const store = await serveStore(registry.client)
    store.before = () => {
      throw new Error('redis://me:pw@db/0 and /data/state/x.json are full')
    }
    const text = 'redis://<secret>@db/0 and <path> are full [internal]'
    expect((await registry.refusal('skills::list')).replace(/^state::\w+/, 'state::any')).toBe(`state::any: ${text}`)
    expect(await registry.refusal('skill::fetch', { uri: 'iii://a' })).toBe(`state::get: ${text}`)
    expect(await registry.refusal('skills::register', { id: 'a', skill: 'x' })).toBe(`state::set: ${text}`)
    expect(await registry.refusal('prompts::unregister', { name: 'a' })).toBe(`state::delete: ${text}`)
  })

  it('is an error when it does not answer within state_timeout_ms', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { stateTimeoutMs: 200 })
    const store = await serveStore(registry.client)
    store.before = () => new Promise(() => undefined)
    expect(await registry.refusal('skills::list')).toMatch(/^state::\w+: .*\[deadline\]$/)
    expect(await registry.refusal('skills::resources-read', { uri: 'iii://a' })).toMatch(/^state::get: .*\[deadline\]$/)
  })

  it('is an error when it is not there, until it is', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await serveStore(registry.client)
    // The owner of the id leaves, and nobody offers it any more.
    await registry.client.shutdown()
    await using later = await startRegistry(engine.url)
    expect(await later.refusal('skills::register', { id: 'a', skill: 'x' })).toMatch(/^state::set: .*\[unavailable\]$/)
    expect(await later.refusal('skills::list')).toMatch(/^state::get: .*\[unavailable\]$/)
    await serveStore(later.client)
    await later.call('skills::register', { id: 'a', skill: 'x' })
    expect(await later.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }] })
  })
})
