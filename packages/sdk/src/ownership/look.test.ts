import { describe, expect, it } from 'vitest'
import { createLook } from './look.ts'

const ids = (count: number, namespace = 'shop') => Array.from({ length: count }, (_, at) => `${namespace}::f${at}`)

/** An engine on which everything is ours but what `others` says. */
function createEngine(others: Record<string, object | undefined> = {}) {
  const asked: { functionId: string; payload: { function_ids?: string[]; prefix?: string } }[] = []
  const toRow = (function_id: string) =>
    others[function_id] ?? { function_id, worker_name: 'shop', metadata: { 'iii.instance': 'ours', more: 1 } }
  return {
    asked,
    ask: async (functionId: string, payload: { function_ids?: string[]; prefix?: string }) => {
      asked.push({ functionId, payload })
      if (functionId === 'engine::functions::info') return { functions: payload.function_ids?.map(toRow) }
      return {
        functions: ids(300)
          .filter((id) => !(id in others))
          .map(toRow),
      }
    },
  }
}

describe('a look at who has which function', () => {
  it('tells apart us, nobody, strangers, and what the engine does not tell', async () => {
    const engine = createEngine({
      'a::gone': { function_id: 'a::gone', error: 'not_found' },
      'a::secret': { function_id: 'a::secret', error: 'forbidden' },
      'a::twin': { function_id: 'a::twin', worker_name: 'twin', metadata: { 'iii.instance': 'theirs' } },
      'a::plain': { function_id: 'a::plain', worker_name: 'plain' },
      'a::odd': { function_id: 'a::odd', worker_name: 'odd', metadata: 'text' },
      'a::null': { function_id: 'a::null', worker_name: 'odd', metadata: null },
    })
    const look = createLook(engine.ask, 'ours', 'default')
    const held = await look(['a::ours', 'a::gone', 'a::secret', 'a::twin', 'a::plain', 'a::odd', 'a::null'])
    expect(Object.fromEntries(held)).toEqual({
      'a::ours': 'us',
      'a::gone': 'nobody',
      'a::secret': 'unknown',
      'a::twin': { instance: 'theirs', workerName: 'twin' },
      'a::plain': { instance: undefined, workerName: 'plain' },
      'a::odd': { instance: undefined, workerName: 'odd' },
      'a::null': { instance: undefined, workerName: 'odd' },
    })
  })

  it.each([
    [0, 0],
    [1, 1],
    [32, 1],
    [33, 2],
    [63, 2],
  ])('at %i functions takes %i calls', async (count, calls) => {
    const engine = createEngine()
    expect((await createLook(engine.ask, 'ours', 'default')(ids(count))).size).toBe(count)
    expect(engine.asked.map(({ functionId }) => functionId)).toEqual(Array(calls).fill('engine::functions::info'))
    expect(engine.asked.every(({ payload }) => (payload.function_ids?.length ?? 0) <= 32)).toBe(true)
  })

  it('at a large namespace takes its list, which has no schemas, and asks by name for what that lacks', async () => {
    const engine = createEngine({ 'shop::f7': { function_id: 'shop::f7', error: 'not_found' } })
    const held = await createLook(engine.ask, 'ours', 'default')([...ids(64), 'other::f', 'plain'])
    expect(held.size).toBe(66)
    expect(held.get('shop::f7')).toBe('nobody')
    expect(engine.asked.map(({ payload }) => payload)).toEqual([
      { prefix: 'shop::', include_internal: true },
      { function_ids: ['shop::f7', 'other::f', 'plain'], namespace: 'default' },
    ])
  })

  it('fails when the engine does not answer as expected', async () => {
    await expect(createLook(async () => ({ rows: [] }), 'ours', 'default')(['a::b'])).rejects.toThrow('functions')
    await expect(createLook(() => Promise.reject(new Error('TIMEOUT')), 'ours', 'default')(['a::b'])).rejects.toThrow(
      'TIMEOUT',
    )
  })
})
