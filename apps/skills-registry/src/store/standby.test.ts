import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const WITHIN = { timeout: 10_000, interval: 5 }

describe('a registry on standby', () => {
  it('reads the store before it serves again, and then serves what the other one stored', async () => {
    await using engine = await startMockEngine()
    await using older = await startRegistry(engine.url, {}, true)
    const newer = await startRegistry(engine.url, {}, true)
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('standby'), WITHIN)
    await older.call('skills::register', { id: 'meanwhile', skill: '# Meanwhile' })
    const frames: string[] = []
    engine.onFrame(({ text }) => frames.push(text))
    await newer[Symbol.asyncDispose]()
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('serving'), WITHIN)
    const indexOf = (...words: string[]) => frames.findIndex((text) => words.every((word) => text.includes(word)))
    const served = indexOf('"registerfunction"', '"prompts::')
    expect(served).toBeGreaterThan(-1)
    expect(frames.slice(0, served).join()).toContain('state::get')
    expect(await older.call('skills::list')).toMatchObject({ skills: [{ id: 'meanwhile' }] })
  })
})
