import { describe, expect, it } from 'vitest'
import { isSkillShown } from './skill-prefixes.ts'

describe('a skill', () => {
  it.each([
    ['orders', ['orders'], true],
    ['orders/refunds', ['orders//'], true],
    ['orders-archive', ['orders/'], false],
    ['orders', [], false],
    ['orders', undefined, true],
  ])('%s is shown to who may read %j: %s', (id, prefixes, isShown) => {
    expect(isSkillShown(id, prefixes)).toBe(isShown)
  })

  it('is judged by a long prefix as fast as that is read', async () => {
    const isShown = (prefix: string) => expect(isSkillShown('orders', [prefix])).toBe(false)
    await expect(isShown).toTakeLinearTime((size) => `${'/'.repeat(size)}x`, 50_000)
  })
})
