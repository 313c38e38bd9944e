import { startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { startMockStage } from '../testing/mock-stage.ts'
import { createStateScope } from './state-scope.ts'

const Order = z.object({ id: z.string(), total: z.number() })

describe('a state scope', () => {
  it('keeps values by key and answers what was there before', async () => {
    await using stage = await startMockStage(startMockEngine)
    const orders = createStateScope(await stage.connect(), 'orders', { schema: Order })
    expect(await orders.get('1')).toBeUndefined()
    expect(await orders.set('1', { id: '1', total: 5 })).toBeUndefined()
    expect(await orders.set('1', { id: '1', total: 6 })).toEqual({ id: '1', total: 5 })
    await orders.set('2', { id: '2', total: 1 })
    expect(await orders.get('1')).toEqual({ id: '1', total: 6 })
    expect(await orders.list()).toEqual([
      { id: '1', total: 6 },
      { id: '2', total: 1 },
    ])
    expect(await orders.delete('1')).toEqual({ id: '1', total: 6 })
    expect(await orders.delete('1')).toBeUndefined()
    expect(await orders.list()).toEqual([{ id: '2', total: 1 }])
  })

  it('updates in place and tells which operations failed', async () => {
    await using stage = await startMockStage(startMockEngine)
    const counters = createStateScope<{ n: number; tag?: string }>(await stage.connect(), 'counters')
    await counters.set('a', { n: 1 })
    const first = await counters.update('a', [
      { type: 'increment', path: 'n', by: 2 },
      { type: 'set', path: 'tag', value: 'x' },
    ])
    expect(first).toEqual({ oldValue: { n: 1 }, newValue: { n: 3, tag: 'x' }, errors: [] })
    const second = await counters.update('a', [{ type: 'increment', path: 'tag', by: 1 }])
    expect(second.newValue).toEqual({ n: 3, tag: 'x' })
    expect(second.errors).toMatchObject([{ op_index: 0, code: 'increment.not_number' }])
  })

  it('takes a type of zod 3, or of another copy of zod 4, as schema', async () => {
    await using stage = await startMockStage(startMockEngine)
    const schema = z3.object({ total: z3.number() })
    const totals = createStateScope(await stage.connect(), 'totals', { schema })
    await totals.set('a', { total: 1 })
    const found: { total: number } | undefined = await totals.get('a')
    expect(found).toEqual({ total: 1 })
  })

  it('leaves what does not fit its schema out of a list, and says so when it is asked for', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    const onMalformed = vi.fn()
    await createStateScope(worker, 'orders').set('bad', { id: 7 })
    const orders = createStateScope(worker, 'orders', { schema: Order, onMalformed })
    await orders.set('good', { id: '1', total: 1 })
    expect(await orders.list()).toEqual([{ id: '1', total: 1 }])
    expect(onMalformed).toHaveBeenCalledExactlyOnceWith(
      { id: 7 },
      'value.id: must be a string, not a number; value.total: must be a number, but it is missing',
    )
    await expect(orders.get('bad')).rejects.toThrow("The stored value 'bad' in scope 'orders' does not fit: value.id: ")
    expect(await orders.set('bad', { id: '2', total: 2 })).toBeUndefined()
  })

  it('reads a stored null as absent', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    const scope = createStateScope<unknown>(worker, 's')
    await scope.set('k', null)
    expect(await scope.get('k')).toBeUndefined()
    expect(await scope.list()).toEqual([])
  })

  it('fails within its own deadline', async () => {
    const trigger = vi.fn(() => Promise.reject(new Error('No store [unavailable]')))
    const scope = createStateScope({ trigger }, 's', { timeoutMs: 123 })
    const failure = await scope.get('k').catch(toFault)
    expect(failure).toMatchObject({ code: 'unavailable', message: 'No store' })
    expect(trigger).toHaveBeenCalledWith({
      function_id: 'state::get',
      payload: { scope: 's', key: 'k' },
      timeoutMs: 123,
    })
  })
})
