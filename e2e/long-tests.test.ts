import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findReason, LONG_TESTS } from './long-tests.ts'

describe('the tests that may take longer', () => {
  it.each(Object.entries(LONG_TESTS))('are in a file that is there, with a reason each: %s', (file, tests) => {
    expect(existsSync(new URL(`../${file}`, import.meta.url))).toBe(true)
    expect(Object.keys(tests).length).toBeGreaterThan(0)
    expect(Object.values(tests).filter((why) => why.length < 20)).toEqual([])
  })

  it('are known by their file and the beginning of their name', () => {
    const file = 'e2e/scenarios/conformance.test.ts'
    expect(findReason(file, 'the official suite finds nothing wrong: all [conformance/sets]')).toMatch(/takes its time/)
    expect(findReason(file, 'another one')).toBeUndefined()
    expect(findReason('e2e/other.test.ts', 'the official suite finds nothing wrong')).toBeUndefined()
  })
})
