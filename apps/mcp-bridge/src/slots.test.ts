import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { RPC } from './rpc.ts'
import { createSlots } from './slots.ts'
import { startBridge } from './testing/bridge.ts'
import { until } from './testing/until.ts'

describe('slots', () => {
  it('turn the next one away, at once, while all are taken', async () => {
    const slots = createSlots(2)
    let finish: () => void = () => undefined
    const pending = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = [slots.run(() => pending), slots.run(() => pending)]
    await expect(slots.run(async () => 'never')).rejects.toMatchObject({ code: RPC.overloaded })
    finish()
    await Promise.all(running)
    expect(await slots.run(async () => 'free again')).toBe('free again')
  })

  it('are free after a failure', async () => {
    const slots = createSlots(1)
    await expect(slots.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slots.run(async () => 'yes')).toBe('yes')
  })
})

describe('a flood of calls', () => {
  it('is answered with 429 beyond the limit, and everything else goes on', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { callsAtOnce: 2 } })
    const waiting: (() => void)[] = []
    bridge.other.registerFunction('orders::slow', () => new Promise((resolve) => waiting.push(() => resolve('done'))))
    await bridge.other.ready()
    const calls = [bridge.call('orders__slow'), bridge.call('orders__slow')]
    await until(
      () => waiting.length,
      (count) => count === 2,
    )
    const { status, headers, message } = await bridge.rpc('tools/call', { name: 'orders__slow' })
    expect([status, headers.get('retry-after'), message.id]).toEqual([429, '1', 1])
    expect(message.error?.message).toMatch(/this server runs 2/)
    expect((await bridge.rpc('tools/list')).status).toBe(200)
    for (const finish of waiting) finish()
    expect((await Promise.all(calls)).map(({ content }) => content[0]?.text)).toEqual(['done', 'done'])
  })
})
