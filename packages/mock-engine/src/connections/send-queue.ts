/** How many messages may wait for a connection before whoever sends the next one waits too. */
const LIMIT = 64

/** What was sent to a connection and has not left yet. */
export interface SendQueue {
  /** Notes a message. @returns a function to be called when it has left, or never will. */
  add(): () => void
  /** Waits until a sender may go on; `undefined` when it may. */
  drained(): Promise<void> | undefined
}

export function createSendQueue(): SendQueue {
  const senders: (() => void)[] = []
  let length = 0
  const left = () => {
    length--
    if (length <= LIMIT) for (const go of senders.splice(0)) go()
  }
  return {
    add() {
      length++
      return left
    },
    drained: () => (length <= LIMIT ? undefined : new Promise((resolve) => senders.push(resolve))),
  }
}
