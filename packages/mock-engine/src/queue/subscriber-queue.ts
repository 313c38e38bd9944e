import { randomUUID } from 'node:crypto'
import type { JsonText } from '../json/json-text.ts'
import type { TraceContext } from '../wire/outgoing.ts'
import type { QueueSettings } from './queue-settings.ts'

/** A message on its way to one function. */
export interface QueuedMessage {
  readonly id: string
  readonly payload: JsonText
  /** Of the call that published it. */
  readonly trace: TraceContext
  readonly createdAt: number
  attempts: number
}

/** A message whose last attempt failed. */
export interface DeadLetter {
  readonly message: QueuedMessage
  /** What its function, or its condition, said. */
  readonly error: string
  /** In milliseconds. */
  readonly failedAt: number
}

type Retries = Pick<QueueSettings, 'attempts' | 'backoffMs'>

/** The messages for one function on one topic, or on a topic that nobody subscribed to. It outlives its consumers. */
export interface SubscriberQueue {
  readonly name: string
  /** As the last reader wants it. */
  retries: Retries
  /** What waits and what is being handled. */
  readonly depth: number
  /** Whether there is anything to be taken, now or later. */
  readonly empty: boolean
  /** Newest first. */
  readonly dead: readonly DeadLetter[]
  put(payload: JsonText, trace: TraceContext): void
  /** The oldest message that is due. */
  take(): QueuedMessage | undefined
  /** Takes a message back that could not be handled: it is the newest then. */
  putBack(message: QueuedMessage): void
  /** A message was handled. */
  done(message: QueuedMessage): void
  /** A message failed. @returns how long until the next attempt in milliseconds, `undefined` when it is dead. */
  failed(message: QueuedMessage, error: string): number | undefined
  /** Lets a failed message wait for its next attempt. */
  delay(message: QueuedMessage, delayMs: number): void
  /** Sends dead letters again, all of them or one. @returns how many. */
  redrive(messageId?: string): number
  /** Forgets a dead letter. @returns how many. */
  discard(messageId: string): number
  /** Tells of new messages. @returns a function that ends it. */
  watch(listener: () => void): () => void
}

export function createSubscriberQueue(name: string, retries: Retries): SubscriberQueue {
  const waiting: QueuedMessage[] = []
  const active = new Set<QueuedMessage>()
  const delayed = new Map<QueuedMessage, number>()
  const dead: DeadLetter[] = []
  const watchers = new Set<() => void>()

  function push(message: QueuedMessage): void {
    waiting.push(message)
    for (const watcher of watchers) watcher()
  }

  /** The last to become due is the first to be taken. */
  function wake(): void {
    const due = [...delayed].filter(([, at]) => at <= Date.now()).sort(([, a], [, b]) => a - b)
    for (const [message] of due) {
      delayed.delete(message)
      waiting.unshift(message)
    }
  }

  function takeDead(messageId: string | undefined): DeadLetter[] {
    const taken = dead.filter(({ message }) => messageId === undefined || message.id === messageId)
    for (const letter of taken) dead.splice(dead.indexOf(letter), 1)
    return taken
  }

  const queue: SubscriberQueue = {
    name,
    retries,
    dead,
    get depth() {
      return waiting.length + active.size
    },
    get empty() {
      return waiting.length + delayed.size === 0
    },
    put: (payload, trace) => push({ id: randomUUID(), payload, trace, createdAt: Date.now(), attempts: 0 }),
    take() {
      wake()
      const message = waiting.shift()
      if (message) active.add(message)
      return message
    },
    putBack(message) {
      active.delete(message)
      waiting.push(message)
    },
    done: (message) => void active.delete(message),
    failed(message, error) {
      message.attempts++
      if (message.attempts < queue.retries.attempts) return queue.retries.backoffMs * 2 ** (message.attempts - 1)
      active.delete(message)
      dead.unshift({ message, error, failedAt: Date.now() })
      return undefined
    },
    delay(message, delayMs) {
      active.delete(message)
      delayed.set(message, Date.now() + delayMs)
      for (const watcher of watchers) watcher()
    },
    redrive(messageId) {
      const letters = takeDead(messageId).reverse()
      for (const { message } of letters) push({ ...message, attempts: 0 })
      return letters.length
    },
    discard: (messageId) => takeDead(messageId).length,
    watch(listener) {
      watchers.add(listener)
      return () => void watchers.delete(listener)
    },
  }
  return queue
}
