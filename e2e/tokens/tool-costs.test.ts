import { expect, it } from 'vitest'
import { sumBytes, toCosts, toTokens } from './tool-costs.ts'

it('counts what a tool takes as it is listed', () => {
  const bare = { name: 'a', inputSchema: {} }
  const costs = toCosts([bare, { ...bare, outputSchema: { é: 1 } }])
  expect(costs).toEqual([
    { name: 'a', bytes: 29, inputBytes: 2, outputBytes: 0 },
    { name: 'a', bytes: 53, inputBytes: 2, outputBytes: 8 },
  ])
  expect(toTokens(sumBytes(costs))).toBe(21)
})
