import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSampler } from './sampler.ts'

const traceIds = Array.from({ length: 4_000 }, () => randomBytes(16).toString('hex'))
const by = (isSampled: boolean) => ({ traceId: traceIds[0] ?? '', spanId: 'b7ad6b7169203331', isSampled })

describe('a sampler', () => {
  it('keeps about as many traces as it is told, and the same each time', () => {
    const sampler = createSampler('traceidratio', 0.25)
    const kept = traceIds.filter((id) => sampler(id, undefined))
    expect(kept.length).toBeGreaterThan(800)
    expect(kept.length).toBeLessThan(1_200)
    expect(traceIds.filter((id) => sampler(id, undefined))).toEqual(kept)
  })

  it('keeps all traces at 1 and none at 0', () => {
    expect(traceIds.every((id) => createSampler('traceidratio', 1)(id, undefined))).toBe(true)
    expect(traceIds.some((id) => createSampler('traceidratio', 0)(id, undefined))).toBe(false)
  })

  it('believes a client only where it is based on its parent', () => {
    const [id = ''] = traceIds
    expect([true, false].map((flag) => createSampler('parentbased_always_on', 1)(id, by(flag)))).toEqual([true, false])
    expect([true, false].map((flag) => createSampler('parentbased_always_off', 1)(id, by(flag)))).toEqual([true, false])
    expect([true, false].map((flag) => createSampler('always_on', 1)(id, by(flag)))).toEqual([true, true])
    expect([true, false].map((flag) => createSampler('always_off', 1)(id, by(flag)))).toEqual([false, false])
  })
})
