import { conditionOf } from '../builtins/condition.ts'
import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/trigger.ts'
import type { JsonText } from '../json/json-text.ts'
import type { TraceContext } from '../wire/outgoing.ts'
import { childTrace, keptTrace } from '../wire/trace-context.ts'
import { startConsumer } from './consumer.ts'
import { debugText, type QueuedDeadLetter } from './dead-letter.ts'
import { type QueueSettings, toQueueSettings } from './queue-settings.ts'
import { createSubscriberQueue, type QueuedMessage, type SubscriberQueue } from './subscriber-queue.ts'

/** Durable topics: every function that subscribed gets each message, again when it fails, and is a dead letter after its last attempt. */
export interface Topics {
  publish(topic: string, payload: JsonText, trace: TraceContext): void
  subscribe(topic: string, trigger: Trigger): void
  unsubscribe(topic: string, triggerId: string): void
  /** The topics that somebody subscribed to, with the number of bindings. */
  list(): readonly { readonly name: string; readonly subscribers: number }[]
  stats(topic: string): { readonly depth: number; readonly dead: number; readonly subscribers: number }
  /** The dead letters of a topic, newest first for each function. */
  dead(topic: string): readonly QueuedDeadLetter[]
  /** Sends dead letters to their functions again. @returns how many. */
  redrive(topic: string, messageId?: string): number
  /** Forgets a dead letter. @returns how many. */
  discard(topic: string, messageId: string): number
  close(): void
}

interface Timing {
  /** The time between two looks for new messages, in milliseconds. */
  readonly pollMs: number
  /** The wait before the second attempt, doubled for each further one, in milliseconds. */
  readonly backoffMs: number
}

interface Subscription {
  readonly topic: string
  /** The name of its queue. */
  readonly queue: string
  stop(): void
}

export function createTopics(bus: Bus, timing: Timing): Topics {
  const defaults: QueueSettings = { inOrder: false, concurrency: 10, attempts: 3, backoffMs: timing.backoffMs }
  const queues = new Map<string, SubscriberQueue>()
  const subscriptions = new Map<string, Subscription>()
  /** Of each topic the queues that its messages go to. */
  const routes = new Map<string, Set<string>>()
  /** Those whose id has subscribed again: they go on for good. */
  const replaced: Subscription[] = []

  function queueOf(name: string): SubscriberQueue {
    const queue = queues.get(name) ?? createSubscriberQueue(name, defaults)
    queues.set(name, queue)
    return queue
  }

  /** The queues of those who subscribed; the topic's own while nobody has. */
  function queuesOf(topic: string): SubscriberQueue[] {
    const names = routes.get(topic) ?? new Set<string>()
    return names.size === 0 ? [queueOf(topic)] : [...names].map(queueOf)
  }

  function subscribers(topic: string): Subscription[] {
    return [...subscriptions.values()].filter((subscription) => subscription.topic === topic)
  }

  return {
    publish(topic, payload, trace) {
      for (const queue of queuesOf(topic)) queue.put(payload, keptTrace(trace))
    },
    subscribe(topic, trigger) {
      const { id, functionId, namespace, config } = trigger
      const queue = queueOf(bus.generation.subscriberQueueName(topic, functionId, namespace))
      const settings = toQueueSettings(config, defaults)
      queue.retries = settings
      const stop = startConsumer(queue, settings, timing.pollMs, (message) => deliver(bus, trigger, message))
      routes.set(topic, (routes.get(topic) ?? new Set()).add(queue.name))
      const key = `${topic}:${id}`
      const before = subscriptions.get(key)
      if (before) replaced.push(before)
      subscriptions.set(key, { topic, queue: queue.name, stop })
    },
    unsubscribe(topic, triggerId) {
      const key = `${topic}:${triggerId}`
      const ended = subscriptions.get(key)
      ended?.stop()
      subscriptions.delete(key)
      if (ended && subscribers(topic).every(({ queue }) => queue !== ended.queue))
        routes.get(topic)?.delete(ended.queue)
    },
    list() {
      const names = new Set([...subscriptions.values()].map(({ topic }) => topic))
      return [...names].map((name) => ({ name, subscribers: subscribers(name).length }))
    },
    stats(topic) {
      const all = queuesOf(topic)
      const sum = (count: (queue: SubscriberQueue) => number) => all.reduce((total, queue) => total + count(queue), 0)
      return {
        depth: sum((queue) => queue.depth),
        dead: sum((queue) => queue.dead.length),
        subscribers: subscribers(topic).length,
      }
    },
    dead: (topic) =>
      queuesOf(topic).flatMap(({ name, retries: { backoffMs }, dead }) =>
        dead.map((letter) => ({ ...letter, queue: name, backoffMs })),
      ),
    redrive: (topic, messageId) => queuesOf(topic).reduce((count, queue) => count + queue.redrive(messageId), 0),
    discard: (topic, messageId) => queuesOf(topic).reduce((count, queue) => count + queue.discard(messageId), 0),
    close() {
      for (const { stop } of [...subscriptions.values(), ...replaced]) stop()
    },
  }
}

/** Gives a message to its function, if its condition lets it pass. A condition that fails counts as a failed attempt. */
async function deliver(
  bus: Bus,
  { functionId, namespace, config }: Trigger,
  { payload: data, trace: parent }: QueuedMessage,
): Promise<string | undefined> {
  const trace = childTrace(parent)
  const conditionId = conditionOf(config)
  if (conditionId !== undefined) {
    const { result, error } = await bus.calls.ask({ functionId: conditionId, namespace, data, trace })
    if (error) return `Condition function error: ${debugText(error)}`
    if (result === 'false') return undefined
  }
  const { error } = await bus.calls.ask({ functionId, namespace, data, trace })
  return error && debugText(error)
}
