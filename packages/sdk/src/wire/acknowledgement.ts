/** What the worker expects of the engine: more messages at once, more after its own next reply, or none. */
export type Expectation = 'nothing' | 'after-reply' | 'more'

/**
 * Tells the engine that its message has come. It holds a small message back until the one before is acknowledged, and the kernel delays
 * bare acknowledgements by 40 ms. Whatever we write carries one, so when nothing was written since the last read and more is expected,
 * an unsolicited pong (which the engine ignores) does. The reply of the only call that runs mostly comes sooner than a pong would pay.
 */
export interface Acknowledgement {
  onQuietRead(expectation: Expectation): void
  /** Something was written, which carries the acknowledgement. */
  onWrite(): void
}

const REPLY_WITHIN_MS = 1

export function createAcknowledgement(pong: () => void): Acknowledgement {
  let timer: NodeJS.Timeout | undefined

  function onWrite(): void {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    onQuietRead(expectation) {
      if (expectation === 'more') {
        onWrite()
        pong()
      }
      if (expectation !== 'after-reply') return
      timer ??= setTimeout(() => {
        timer = undefined
        pong()
      }, REPLY_WITHIN_MS)
    },
    onWrite,
  }
}
