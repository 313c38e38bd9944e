import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'
import { MAX_CALLS_AT_ONCE } from './function-calls.ts'

const LIMIT = /4 is the limit/

/** Offers functions that each fetch the section of the next one; tells in `called` which of them ran. */
async function serveChain(registry: TestRegistry, names: readonly string[]) {
  const called: string[] = []
  for (const [index, name] of names.entries()) {
    registry.client.registerFunction(`chain::${name}`, async () => {
      called.push(name)
      const next = names[index + 1]
      if (next === undefined) return 'the end'
      return registry.client.trigger({ function_id: 'skill::fetch', payload: { uri: `iii://fn/chain/${next}` } })
    })
  }
  await registry.client.ready()
  return called
}

describe('sections that lead to one another', () => {
  it('are read through four hops', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const called = await serveChain(registry, ['a', 'b', 'c', 'd'])
    const text = await registry.call<string>('skill::fetch', { uri: 'iii://fn/chain/a' })
    expect(text).toMatch(/^# iii:\/\/fn\/chain\/a\n[\s\S]*the end$/)
    expect(called).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are not read through a fifth, and the error names function and limit', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const called = await serveChain(registry, ['a', 'b', 'c', 'd', 'e'])
    const fault = await registry.fault('skill::fetch', { uri: 'iii://fn/chain/a' })
    expect(fault.code).toBe('forbidden')
    expect(fault.message).toContain('chain::e is refused')
    expect(fault.message).toMatch(LIMIT)
    expect(called).toEqual(['a', 'b', 'c', 'd'])
  })

  it('end when one leads to itself, side by side with others that do not', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    let calls = 0
    registry.client.registerFunction('self::loop', () => {
      calls += 1
      return registry.client.trigger({
        function_id: 'skill::fetch',
        payload: { uris: ['iii://fn/self/loop', 'iii://fn/other/plain'] },
      })
    })
    registry.client.registerFunction('other::plain', () => 'plain')
    await registry.client.ready()
    const document = await registry.call<string>('skill::fetch', { uri: 'iii://fn/self/loop' })
    expect(calls).toBe(4)
    expect(document).toMatch(LIMIT)
    // The last of the four could call neither; the three before it each got the other one.
    expect(document.match(/^plain$/gm)).toHaveLength(3)
  })

  it('count prompts as well', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    let calls = 0
    registry.client.registerFunction('self::prompt', () => {
      calls += 1
      return registry.client.trigger({ function_id: 'prompts::mcp-get', payload: { name: 'self' } })
    })
    await registry.client.ready()
    await registry.call('prompts::register', { name: 'self', description: 'x', function_id: 'self::prompt' })
    const fault = await registry.fault('prompts::mcp-get', { name: 'self' })
    expect(fault.message).toMatch(LIMIT)
    expect(calls).toBe(4)
  })
})

describe('functions that run for sections', () => {
  it('are 256 at once, and one more is refused until one has ended', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const waiting: (() => void)[] = []
    registry.client.registerFunction('slow::one', () => new Promise<string>((end) => waiting.push(() => end('done'))))
    registry.client.registerFunction('quick::one', () => 'quick')
    await registry.client.ready()
    const read = (path: string) => registry.call('skills::resources-read', { uri: `iii://fn/${path}` })
    const running = Array.from({ length: MAX_CALLS_AT_ONCE }, () => read('slow/one'))
    await expect.poll(() => waiting.length, { timeout: 8000 }).toBe(MAX_CALLS_AT_ONCE)
    expect(await registry.refusal('skills::resources-read', { uri: 'iii://fn/quick/one' })).toBe(
      'quick::one is not called: 256 functions run for sections and prompts already, which is the limit; try again later [overloaded]',
    )
    for (const end of waiting) end()
    await Promise.all(running)
    expect(await read('quick/one')).toMatchObject({ contents: [{ text: 'quick' }] })
  })
})
