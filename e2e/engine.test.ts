import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { borrowEngine } from './chosen-engine.ts'
import { openEngine } from './engine.ts'
import { connectToEngine } from './facts.ts'

describe('an engine that somebody else runs', () => {
  let somebodys: MockEngine
  let giveBack: () => void

  beforeAll(async () => {
    somebodys = await startMockEngine()
    giveBack = borrowEngine(somebodys)
  })
  afterAll(async () => {
    giveBack()
    await somebodys.close()
  })

  const set = (scope: string, key: string, value: unknown) => somebodys.call('state::set', { scope, key, value })
  const list = (scope: string) => somebodys.call('state::list', { scope })

  it('is emptied of what our programs left, before and after, and of nothing else', async () => {
    const rows = [
      ['skills', 'a/b', { id: 'a/b', skill: '# B' }],
      ['skills::index', 'head', { epoch: 'x' }],
      ['skills::index::7', 'a/b', { key: 'a/b', entry: { id: 'a/b' } }],
      ['prompts', 'greet', { name: 'greet' }],
      ['orders', 'ORD-1', { id: 'ORD-1' }],
      ['mcp-session-keys', 'keys', { keys: [] }],
      ['mcp-sessions-ended', 'h', { handle: 'h' }],
      ['skills::files', 'a/b#0f1e', { id: 'a/b', sha256: '0f1e', text: 'x' }],
      ['skills::files@shop', 'a/b#0f1e', { id: 'a/b', sha256: '0f1e', base64: 'eA==' }],
      ['skills::files@shop::index::7', 'a/b#0f1e', { key: 'a/b#0f1e', entry: { id: 'a/b', sha256: '0f1e' } }],
      ['skills@shop', 'a/b', { id: 'a/b', skill: '# B' }],
      ['skills@shop::index', 'head', { epoch: 'x' }],
      ['mcp-tasks@shop', 't1', { id: 't1' }],
      ['mcp-task-results@shop', 't1', { content: [] }],
      ['runs@shop', 'r1', { id: 'r1', job: 'j', lock: { name: 'l' }, task_count: 1 }],
      ['runs-detail@shop', 'r1/0', { task: { cache: { key: 'c1' } } }],
      ['runs-cache@shop', 'c1', { output: 1 }],
      ['runs-index@shop', 'runs-0', [1]],
    ] as const
    const fill = () => Promise.all(rows.map(([scope, key, value]) => set(scope, key, value)))
    await set('cups', 'Ada', { id: 'Ada' })
    await fill()
    const engine = await openEngine(undefined)
    expect(await Promise.all(rows.map(([scope]) => list(scope)))).toEqual(rows.map(() => []))
    await fill()
    await engine[Symbol.asyncDispose]()
    expect(await Promise.all(rows.map(([scope]) => list(scope)))).toEqual(rows.map(() => []))
    expect(await list('cups')).toEqual([{ id: 'Ada' }])
  })

  it('is not taken before the workers of the last stack are gone', async () => {
    const last = connectToEngine(somebodys.url, 'orders')
    last.registerFunction('orders::create', () => null)
    await last.ready({ timeoutMs: 5000 })
    let opened = false
    const opening = openEngine(undefined).then((engine) => {
      opened = true
      return engine
    })
    // Whoever looks once would have seen the free engine by now.
    for (let look = 0; look < 20; look++) await somebodys.call('engine::functions::list')
    expect(opened).toBe(false)
    await last.shutdown()
    await (await opening)[Symbol.asyncDispose]()
  })

  it('is not stopped, and not emptied of rows that do not tell their keys without a word', async () => {
    await using engine = await openEngine(undefined)
    await expect(engine.stop()).rejects.toThrow('is not ours to stop')
    await set('orders', 'odd', 'a text')
    await expect(openEngine(undefined)).rejects.toThrow(
      'The scope \'orders\' has rows that do not tell their keys: ["a text"]',
    )
    await somebodys.call('state::delete', { scope: 'orders', key: 'odd' })
  })
})
