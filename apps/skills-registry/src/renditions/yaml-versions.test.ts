import { describe, expect, it } from 'vitest'
import { findAmbiguous } from './yaml-versions.ts'

describe('words that readers of YAML 1.1 take for something else', () => {
  it.each([
    ['a: yes', ['yes']],
    ['a: [on, 1_000, 0777, 1e3]', ['on', '1_000', '0777', '1e3']],
    ['a: 2026-01-01', ['2026-01-01']],
    ['a: =', ['=']],
    ['a: two\twords', ['two\twords']],
    ['a: "yes"\nb: true\nc: 1.5\nd: two words', []],
  ])('are found: %j', (yaml, words) => {
    expect(findAmbiguous(`---\n${yaml}\n---\nyes\n`)).toEqual(words)
  })
})
