import { expect, it } from 'vitest'
import { formatCount } from './count.ts'

it('one is not said as many are', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'prompt'))).toEqual(['0 prompts', '1 prompt', '2 prompts'])
})
