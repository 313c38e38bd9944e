import { describe, expect, it } from 'vitest'
import { isFileOfSkill, toListText } from './skill-files.ts'

describe('a file of a skill', () => {
  it.each([
    ['skill://orders/SKILL.md', 'orders', true],
    ['skill://orders/assets/a%20b.md', 'orders', true],
    ['skill://orders/limits.md', 'orders/limits', true],
    ['skill://orders/refunds/SKILL.md', 'orders', true],
    ['skill://my-orders/SKILL.md', 'my_orders', true],
    ['skill://orders-old/SKILL.md', 'orders', false],
    ['skill://orders/SKILL.md', 'orders/refunds', false],
    ['iii://orders', 'orders', false],
  ])('%s may change with %s: %s', (uri, id, expected) => {
    expect(isFileOfSkill(uri, id)).toBe(expected)
  })
})

describe('a list', () => {
  it('is the same while only sizes and times of texts differ, and another with another description', () => {
    const row = {
      uri: 'iii://a',
      name: 'A',
      description: 'a',
      size: 1,
      annotations: { priority: 1, lastModified: 'x' },
    }
    const edited = { ...row, size: 2, annotations: { priority: 1, lastModified: 'y' } }
    expect(toListText([edited])).toBe(toListText([row]))
    expect(toListText([{ ...row, description: 'b' }])).not.toBe(toListText([row]))
  })
})
