import { describe, expect, it } from 'vitest'
import { createRetries, RETRY_TIMINGS, type RetryPace } from './reconnect-delay.ts'

const { firstRetryMs, retryMs, refusedRetryMs, maxRefusedRetryMs } = RETRY_TIMINGS

/** The shortest and the longest of many delays at the same point. */
function rangeOf(toDelay: () => number): [least: number, most: number] {
  const delays = Array.from({ length: 2_000 }, toDelay)
  return [Math.min(...delays), Math.max(...delays)]
}

/** Of the last of several delays, each after the engine had done this: true is an engine that took us. */
const delaysAfter = (...steps: readonly (RetryPace | boolean)[]) =>
  rangeOf(() => {
    const retries = createRetries(RETRY_TIMINGS)
    let delay = -1
    for (const step of steps) {
      if (step === true) retries.accepted()
      else if (step !== false) retries.refused(step)
      delay = retries.nextDelayMs()
    }
    return delay
  })

describe('the next try', () => {
  it.each<[string, (RetryPace | boolean)[], number, number]>([
    ['after a loss is soon', [true], firstRetryMs * 0.2, firstRetryMs],
    [
      'after that failed, and where there was no engine yet, comes in the pace of all others',
      [true, false],
      retryMs / 2,
      retryMs,
    ],
    ['where there was no engine yet comes in that pace at once', [false], retryMs / 2, retryMs],
    ['is soon again after the engine took us', [true, false, true], firstRetryMs * 0.2, firstRetryMs],
    ['comes later where the engine refused us', ['later'], refusedRetryMs, refusedRetryMs * 1.25],
    [
      'comes twice as late after each further refusal',
      ['later', 'later', 'later'],
      refusedRetryMs * 4,
      refusedRetryMs * 5,
    ],
    ['comes so late and no later', Array<RetryPace>(99).fill('later'), maxRefusedRetryMs, maxRefusedRetryMs * 1.25],
    [
      'forgets refusals once the engine took us',
      ['later', 'later', true, 'later'],
      refusedRetryMs,
      refusedRetryMs * 1.25,
    ],
    ['is late at once where somebody has to change something', ['slowly'], maxRefusedRetryMs, maxRefusedRetryMs * 1.25],
    ['is in the usual pace where a refusal is followed by a loss', ['slowly', false], retryMs / 2, retryMs],
  ])('%s', (_, steps, least, most) => {
    const [shortest, longest] = delaysAfter(...steps)
    expect(shortest).toBeGreaterThanOrEqual(least)
    expect(longest).toBeLessThanOrEqual(most)
    // Workers that were refused or lost together do not come back together.
    expect(longest - shortest).toBeGreaterThan((most - least) * 0.9)
  })

  it('is at once where something else is said then', () => {
    expect(delaysAfter('later', 'now')).toEqual([0, 0])
  })
})
