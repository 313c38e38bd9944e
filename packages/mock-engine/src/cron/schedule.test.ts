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
    ['1 - 5 39 4 21 11 7', true],
    ['5 , 7 39 4 21 11 7', true],
    ['1 / 2 39 4 21 11 7', true],
    ['5 39 4 21 11 MON - SAT', true],
    ['*/2 , 5 39 4 21 11 7', true],
    ['5 ,* 39 4 21 11 7', true],
    ['5\t-\n6 39 4 21 11 7', true],
    ['5 39 4 21 11 7 2027', false],
    ['@daily', false],
  ])('%s: due is %s', (expression, due) => {
    const schedule = parseSchedule(expression)
    expect('problem' in schedule ? schedule : schedule.isDue(new Date(TIME))).toBe(due)
  })

  /** Where a running engine stopped reading, and what it said. */
  it.each([
    ['bad', 0, "The 'Seconds' field does not support using names. 'bad' specified."],
    ['* * * * *', 9, ''],
    ['* * * * * * * *', 14, ''],
    ['000***', 6, ''],
    ['   ', 3, ''],
    ['', 0, ''],
    ['constructor', 0, "The 'Seconds' field does not support using names. 'constructor' specified."],
    ['60 * * * * *', 0, "Seconds must be less than 59. ('60' specified.)"],
    ['0 0 0 * * 0', 10, "Days of Week must be greater than or equal to 1. ('0' specified.)"],
    ['0 0 0 1 1 * 1969', 12, ''],
    ['0 0 0 * FOO *', 8, "'FOO' is not a valid month name."],
    ['0 0 0 * sept *', 8, "'sept' is not a valid month name."],
    ['0 0 0 * * XYZ', 10, "'XYZ' is not a valid day of the week."],
    ['0 0 0 15W * *', 8, "'W' is not a valid month name."],
    ['5-1 * * * * *', 0, 'Invalid range for Seconds: 5-1'],
    ['0-70 * * * * *', 0, 'Invalid range for Seconds: 0-70'],
    ['* * * * 0-5 *', 8, 'Invalid range for Months: 0-5'],
    ['0 0 0 * FEB-JAN *', 8, 'Invalid named range for Months: FEB-JAN'],
    ['0 0 0 * 2-JAN *', 9, ''],
    ['0 0 0 * JAN/2 *', 11, ''],
    ['*/0 * * * * *', 0, 'range step cannot be zero'],
    ['*/61 * * * * *', 0, "Seconds must be between 1 and 59. ('61' specified.)"],
    ['0 0 0 1/40 * *', 6, "Days of Month must be between 1 and 31. ('40' specified.)"],
    ['-1 * * * * *', 0, ''],
    ['1.5 * * * * *', 1, ''],
    ['*-5 * * * * *', 1, ''],
    ['0 0 0 * * MON,,TUE', 13, ''],
    ['? 0 0 * * *', 0, ''],
    ['5 - 1 * * * * *', 0, 'Invalid range for Seconds: 5-1'],
    ['* / 2 * * * * *', 2, ''],
    ['1 , * * * * *', 2, ''],
    ['* , 1 * * * * *', 2, ''],
    ['0\u00a00 0 * * *', 1, ''],
    ['0\v0 0 * * *', 1, ''],
    ['0\f0 0 * * *', 1, ''],
    ['@daily\u00a0', 6, ''],
    ['99999999999 * * * * *', 0, ''],
    ['@midnight', 0, ''],
    ['@hourly x', 8, ''],
  ])('refuses %j', (expression, at, problem) => {
    expect(parseSchedule(expression)).toEqual({ at, problem })
  })

  it.each([
    ' @weekly ',
    '0 0 0***',
    '*****?',
    '0 0 0 ?/5 * *',
    '0 0 0 ?,5 * *',
    '0 0 0 * * MON-FRI/2',
    '0 0 0 1 1 * */200',
  ])('takes %j', (expression) => {
    expect(parseSchedule(expression)).toHaveProperty('isDue')
  })
})
