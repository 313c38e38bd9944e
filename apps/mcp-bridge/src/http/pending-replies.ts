import { createSlotMap, within } from '@iii/sdk'

/** The replies that are under way, on a stream or not yet. */
export interface PendingReplies {
  /**
   * One more is.
   *
   * @param giveUp called when this server stops before the reply is there
   * @returns to be called when it is there
   */
  expect(giveUp: () => void): () => void
  /** Waits so long for those that are under way, then gives up the rest, and at once whatever is asked for after that. */
  stop(graceMs: number): Promise<void>
}

export function createPendingReplies(): PendingReplies {
  const expected = createSlotMap<number, () => void>()
  let begun = 0
  let onNoneExpected = (): void => undefined
  let isStopping = false

  function noneExpected(): Promise<void> {
    return new Promise((resolve) => {
      onNoneExpected = resolve
      if (expected.size === 0) resolve()
    })
  }

  return {
    expect(giveUp) {
      begun += 1
      const nth = begun
      expected.set(nth, giveUp)
      if (isStopping) giveUp()
      return () => {
        expected.delete(nth)
        if (expected.size === 0) onNoneExpected()
      }
    },
    async stop(graceMs) {
      await within(graceMs, noneExpected())
      isStopping = true
      for (const giveUp of expected.values()) giveUp()
    },
  }
}
