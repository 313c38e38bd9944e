import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry } from './testing/registry.ts'
import { serveStore } from './testing/store.ts'

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
    expect(await registry.refusal(functionId, payload)).toBe('state::list: disk on fire [internal]')
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

  it('is an error when it does not answer within state_timeout_ms', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { stateTimeoutMs: 200 })
    const store = await serveStore(registry.client)
    store.before = () => new Promise(() => undefined)
    expect(await registry.refusal('skills::list')).toMatch(/^state::list: .*\[deadline\]$/)
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
    expect(await later.refusal('skills::list')).toMatch(/^state::list: .*\[unavailable\]$/)
    await serveStore(later.client)
    await later.call('skills::register', { id: 'a', skill: 'x' })
    expect(await later.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }] })
  })
})
