import { builtin, builtinType } from '../builtins/define.ts'
import { topicOf } from '../builtins/pubsub-worker.ts'
import { toObjectSchema } from '../builtins/result-schemas.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import { formatDeadLetter } from './dead-letter.ts'
import type { Topics } from './topics.ts'

const WORKER = 'iii-queue'
const PAGE = 50

/** The queue of functions that is configured by default. Nothing puts messages into it over the bus. */
const FUNCTION_QUEUE = { name: 'default', stored: '__fn_queue::default', consumers: 10 }

/** `iii::durable::publish`, the trigger type `durable:subscriber` and the dead letters. */
export function queueWorker(topics: Topics): BuiltinWorker {
  return {
    workerName: WORKER,
    description: 'Messages that are delivered until they succeed or have failed too often.',
    internal: false,
    types: [
      builtinType('queue', {
        id: 'durable:subscriber',
        description: 'Queue core module',
        configSchema: CONFIG_SCHEMA,
        register(trigger) {
          const topic = topicOf(trigger)
          if (topic !== undefined) topics.subscribe(topic, trigger)
        },
        unregister: (trigger) => topics.unsubscribe(topicOf(trigger) ?? '', trigger.id),
      }),
    ],
    functions: [
      publishFunction(topics),
      ...inspectFunctions(topics),
      deadLettersFunction(topics),
      ...deadLetterFunctions(topics),
    ],
  }
}

const CONFIG_SCHEMA = toObjectSchema('condition_function_id?:string|null queue_config?:any topic:string')

function publishFunction(topics: Topics) {
  return builtin(WORKER, {
    id: 'iii::durable::publish',
    description: 'Sends a value to every function that subscribed to a topic.',
    input: { struct: 'QueueInput', fields: { topic: 'string', data: 'json' } },
    handle({ topic, data }, { trace }) {
      if (topic === '') throw new EngineError('topic_not_set', 'Topic is not set')
      topics.publish(topic, data, trace)
      return undefined
    },
  })
}

function inspectFunctions(topics: Topics) {
  const { name: queue, stored, consumers } = FUNCTION_QUEUE
  return [
    builtin(WORKER, {
      id: 'engine::queue::list_topics',
      description: 'The topics somebody subscribed to, and the queues of functions.',
      input: 'any',
      handle: () =>
        arrayText(
          [...topics.list(), { name: queue, subscribers: consumers }].map(({ name, subscribers }) =>
            objectText({ name: quote(name), broker_type: '"builtin"', subscriber_count: String(subscribers) }),
          ),
        ),
    }),
    builtin(WORKER, {
      id: 'engine::queue::topic_stats',
      description: 'How many messages wait and failed on a topic.',
      input: { struct: 'TopicStatsInput', fields: { topic: 'string' } },
      handle({ topic }) {
        const { depth, dead, subscribers } = topics.stats(storedName(required(topic)))
        return objectText({
          config: 'null',
          consumer_count: String(topic === queue ? consumers : subscribers),
          depth: String(depth),
          dlq_depth: String(dead),
        })
      },
    }),
    builtin(WORKER, {
      id: 'engine::queue::dlq_topics',
      description: 'The topics and queues with the number of their failed messages.',
      input: 'any',
      handle: () =>
        arrayText(
          [
            ...topics.list().map(({ name }) => ({ topic: name, broker: 'builtin', count: topics.stats(name).dead })),
            { topic: stored, broker: 'builtin', count: topics.stats(stored).dead },
            { topic: queue, broker: 'function_queue', count: topics.stats(stored).dead },
          ].map(({ topic, broker, count }) =>
            objectText({ topic: quote(topic), broker_type: quote(broker), message_count: String(count) }),
          ),
        ),
    }),
  ]
}

function deadLettersFunction(topics: Topics) {
  return builtin(WORKER, {
    id: 'engine::queue::dlq_messages',
    description: 'The failed messages of a topic.',
    input: { struct: 'DlqMessagesInput', fields: { topic: 'string', offset: 'u64=', limit: 'u64=' } },
    handle({ topic, offset = 0, limit = PAGE }) {
      const letters = topics.dead(storedName(required(topic)))
      return arrayText(letters.slice(offset, offset + limit).map(formatDeadLetter))
    },
  })
}

/** A queue of functions goes before a topic of the same name. */
function storedName(topic: string): string {
  return topic === FUNCTION_QUEUE.name ? FUNCTION_QUEUE.stored : topic
}

function required(topic: string): string {
  if (topic === '') throw new EngineError('topic_required', 'topic is required')
  return topic
}

function deadLetterFunctions(topics: Topics) {
  const outcome = (queue: string, redriven: number, messageId?: string) =>
    objectText({
      queue: quote(queue),
      redriven: String(redriven),
      message_id: messageId === undefined ? undefined : quote(messageId),
    })
  return [
    builtin(WORKER, {
      id: 'iii::queue::redrive',
      description: 'Sends all failed messages of a topic again.',
      input: { struct: 'RedriveInput', fields: { queue: 'string' }, aliases: { topic: 'queue' } },
      handle: ({ queue }) => outcome(queue, topics.redrive(storedName(named(queue)))),
    }),
    builtin(WORKER, {
      id: 'iii::queue::redrive_message',
      description: 'Sends one failed message again.',
      input: {
        struct: 'RedriveSingleInput',
        fields: { queue: 'string', message_id: 'string' },
        aliases: { topic: 'queue' },
      },
      handle: ({ queue, message_id: id }) =>
        outcome(queue, topics.redrive(storedName(named(queue)), identified(id)), id),
    }),
    builtin(WORKER, {
      id: 'iii::queue::discard_message',
      description: 'Forgets one failed message.',
      input: {
        struct: 'RedriveSingleInput',
        fields: { queue: 'string', message_id: 'string' },
        aliases: { topic: 'queue' },
      },
      handle: ({ queue, message_id: id }) =>
        outcome(queue, topics.discard(storedName(named(queue)), identified(id)), id),
    }),
  ]
}

function named(queue: string): string {
  if (queue === '') throw new EngineError('queue_not_set', 'Queue name is required')
  return queue
}

function identified(messageId: string): string {
  if (messageId === '') throw new EngineError('message_id_not_set', 'Message ID is required')
  return messageId
}
