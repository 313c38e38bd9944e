import { describe, expect, it } from 'vitest'
import { parseSchedule } from './schedule.ts'

/** A Saturday. */
const TIME = '2026-11-21T04:39:05Z'

describe('parseSchedule', () => {
  it.each([
    ['* * * * * *', true],
    ['5 39 4 21 11 7', true],
    ['5 39 4 21 NOV SAT 2026', true],
    ['0/5 */13 0-4 ? 1,11 MON-SAT', true],
    ['5 39 4 21 11 SUN', false],
    ['5 39 4 21 11 7 2027', false],
    ['@daily', false],
  ])('%s: due is %s', (expression, due) => {
    const schedule = parseSchedule(expression)
    expect(typeof schedule === 'string' ? schedule : schedule.isDue(new Date(TIME))).toBe(due)
  })

  it.each([
    '* * * * *',
    '61 * * * * *',
    '* * * * * 0',
    '* * * L * *',
    '* * * * * * * *',
    '*/0 * * * * *',
    '5-1 * * * * *',
    '',
    'constructor',
  ])('refuses %j', (expression) => {
    expect(parseSchedule(expression)).toEqual(expect.any(String))
  })
})
