import { describe, expect, it } from 'vitest'
import { RPC } from './rpc.ts'
import { createSlots } from './slots.ts'

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
