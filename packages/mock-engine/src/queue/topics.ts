import { randomUUID } from 'node:crypto'
import { passes } from '../builtins/condition.ts'
import type { Bus } from '../bus/bus.ts'
import type { WireError } from '../bus/frames.ts'
import type { Trigger } from '../bus/triggers.ts'
import type { JsonText } from '../json/json-text.ts'
import { toQueueSettings } from './queue-settings.ts'

/** A message on its way to one function. */
interface Message {
  readonly id: string
  readonly payload: JsonText
  attempts: number
}

/** A message whose last attempt failed. */
export interface DeadLetter {
  readonly id: string
  readonly payload: JsonText
  readonly error: WireError
  readonly failedAt: number
  readonly attempts: number
  readonly functionId: string
}

/** The subscribers of one topic and what failed on it. */
export interface Topic {
  readonly name: string
  /** By function: two bindings of one function share a queue. */
  readonly queues: ReadonlyMap<string, { readonly depth: number }>
  readonly dead: DeadLetter[]
}

/** Durable topics: every function that subscribed gets each message, again when it fails, and in the end nobody does. */
export interface Topics {
  publish(topic: string, payload: JsonText): void
  subscribe(topic: string, trigger: Trigger): void
  unsubscribe(topic: string, trigger: Trigger): void
  get(topic: string): Topic | undefined
  list(): readonly Topic[]
  /** Sends dead letters to their functions again. @returns how many. */
  redrive(topic: string, messageId?: string): number
  /** Forgets a dead letter. @returns how many. */
  discard(topic: string, messageId: string): number
  close(): void
}

interface Timing {
  /** How long a message lies before it is delivered, in milliseconds. */
  readonly pollMs: number
  /** The wait before the second attempt, doubled for each further one, in milliseconds. */
  readonly backoffMs: number
}

export function createTopics(bus: Bus, timing: Timing): Topics {
  const topics = new Map<string, TopicState>()
  const timers = new Set<NodeJS.Timeout>()

  function later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, delayMs)
    timers.add(timer)
  }

  function enqueue(topic: TopicState, queue: Queue, message: Message, delayMs: number): void {
    queue.depth++
    later(delayMs, () => void deliver(topic, queue, message))
  }

  async function deliver(topic: TopicState, queue: Queue, message: Message): Promise<void> {
    const { functionId, config } = queue.trigger
    const wanted = await passes(bus, config, message.payload)
    const { error } = wanted ? await bus.calls.ask({ functionId, data: message.payload }) : {}
    queue.depth--
    if (!error) return
    message.attempts++
    const settings = toQueueSettings(config, timing.backoffMs)
    if (message.attempts < settings.attempts) {
      enqueue(topic, queue, message, settings.backoffMs * 2 ** (message.attempts - 1))
    } else {
      const { id, payload, attempts } = message
      topic.dead.push({ id, payload, error, attempts, functionId, failedAt: Date.now() })
    }
  }

  const send = (topic: TopicState, queue: Queue, payload: JsonText) =>
    enqueue(topic, queue, { id: randomUUID(), payload, attempts: 0 }, timing.pollMs)

  return {
    publish(name, payload) {
      const topic = topics.get(name)
      for (const queue of topic?.queues.values() ?? []) if (topic) send(topic, queue, payload)
    },
    subscribe(name, trigger) {
      const topic = topics.get(name) ?? { name, queues: new Map<string, Queue>(), dead: [] }
      topics.set(name, topic)
      const queue = topic.queues.get(trigger.functionId) ?? { trigger, depth: 0, triggerIds: new Set<string>() }
      topic.queues.set(trigger.functionId, queue)
      queue.triggerIds.add(trigger.id)
    },
    unsubscribe(name, { id, functionId }) {
      const queues = topics.get(name)?.queues
      const queue = queues?.get(functionId)
      if (queue?.triggerIds.delete(id) && queue.triggerIds.size === 0) queues?.delete(functionId)
    },
    get: (name) => topics.get(name),
    list: () => [...topics.values()],
    redrive(name, messageId) {
      const topic = topics.get(name)
      const letters = takeDead(topic, messageId)
      for (const { functionId, payload } of letters) {
        const queue = topic?.queues.get(functionId)
        if (topic && queue) send(topic, queue, payload)
      }
      return letters.length
    },
    discard: (name, messageId) => takeDead(topics.get(name), messageId).length,
    close() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

interface Queue {
  readonly trigger: Trigger
  readonly triggerIds: Set<string>
  depth: number
}

interface TopicState extends Topic {
  readonly queues: Map<string, Queue>
}

function takeDead(topic: Topic | undefined, messageId: string | undefined): DeadLetter[] {
  const taken = topic?.dead.filter(({ id }) => messageId === undefined || id === messageId) ?? []
  for (const letter of taken) topic?.dead.splice(topic.dead.indexOf(letter), 1)
  return taken
}
