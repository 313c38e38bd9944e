import { expect, it } from 'vitest'
import './linear-time.ts'

const toNumbers = (length: number) => Array.from({ length }, (_, at) => at)

it('what grows with the square is told from what does not', async () => {
  await expect((numbers: number[]) => numbers.map(String)).toTakeLinearTime(toNumbers, 16_000)
  const findEach = (numbers: number[]) => numbers.every((number) => numbers.includes(number))
  await expect(findEach).not.toTakeLinearTime(toNumbers, 16_000)
})
