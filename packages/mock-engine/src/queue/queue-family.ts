import { builtin, builtinType, type Family } from '../builtins/define.ts'
import { topicOf } from '../builtins/pubsub.ts'
import type { WireError } from '../bus/frames.ts'
import { EngineError } from '../engine-error.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import type { DeadLetter, Topics } from './topics.ts'

const WORKER = 'iii-queue'
const PAGE = 50

/** `iii::durable::publish`, the trigger type `durable:subscriber` and the dead letters. */
export function queueFamily(topics: Topics): Family {
  return {
    workerName: WORKER,
    description: 'Messages that are delivered until they succeed or have failed too often.',
    types: [
      builtinType('queue', {
        id: 'durable:subscriber',
        description: 'Queue core module',
        register(trigger) {
          const topic = topicOf(trigger)
          if (topic !== undefined) topics.subscribe(topic, trigger)
        },
        unregister: (trigger) => topics.unsubscribe(topicOf(trigger) ?? '', trigger),
      }),
    ],
    functions: [...publishFunctions(topics), ...inspectFunctions(topics), ...deadLetterFunctions(topics)],
  }
}

function publishFunctions(topics: Topics) {
  return [
    builtin(WORKER, {
      id: 'iii::durable::publish',
      description: 'Sends a value to every function that subscribed to a topic.',
      input: { struct: 'QueueInput', fields: { topic: 'string', data: 'json' } },
      handle({ topic, data }) {
        if (topic === '') throw new EngineError('topic_not_set', 'Topic is not set')
        topics.publish(topic, data)
        return undefined
      },
    }),
    builtin(WORKER, {
      id: `${WORKER}::on-config-change`,
      description: 'Takes a change of the stored configuration of the queues.',
      input: { struct: 'ConfigurationEvent', fields: {} },
      handle: () => undefined,
    }),
  ]
}

function inspectFunctions(topics: Topics) {
  return [
    builtin(WORKER, {
      id: 'engine::queue::list_topics',
      description: 'The topics somebody subscribed to.',
      input: { struct: 'ListTopicsInput', fields: {} },
      handle: () =>
        arrayText(
          topics
            .list()
            .map(({ name, queues }) =>
              objectText({ name: quote(name), broker_type: '"builtin"', subscriber_count: String(queues.size) }),
            ),
        ),
    }),
    builtin(WORKER, {
      id: 'engine::queue::topic_stats',
      description: 'How many messages wait and failed on a topic.',
      input: { struct: 'TopicStatsInput', fields: { topic: 'string' } },
      handle({ topic }) {
        const found = topics.get(topic)
        const depths = [...(found?.queues.values() ?? [])].map(({ depth }) => depth)
        return objectText({
          config: 'null',
          consumer_count: String(depths.length),
          depth: String(depths.reduce((sum, depth) => sum + depth, 0)),
          dlq_depth: String(found?.dead.length ?? 0),
        })
      },
    }),
    builtin(WORKER, {
      id: 'engine::queue::dlq_topics',
      description: 'The topics with the number of their failed messages.',
      input: { struct: 'DlqTopicsInput', fields: {} },
      handle: () =>
        arrayText(
          topics
            .list()
            .map(({ name, dead }) =>
              objectText({ topic: quote(name), broker_type: '"builtin"', message_count: String(dead.length) }),
            ),
        ),
    }),
    builtin(WORKER, {
      id: 'engine::queue::dlq_messages',
      description: 'The failed messages of a topic.',
      input: { struct: 'DlqMessagesInput', fields: { topic: 'string', offset: 'usize?', limit: 'usize?' } },
      handle({ topic, offset = 0, limit = PAGE }) {
        return arrayText((topics.get(topic)?.dead ?? []).slice(offset, offset + limit).map(formatLetter))
      },
    }),
  ]
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
      handle: ({ queue }) => outcome(named(queue), topics.redrive(queue)),
    }),
    builtin(WORKER, {
      id: 'iii::queue::redrive_message',
      description: 'Sends one failed message again.',
      input: {
        struct: 'RedriveMessageInput',
        fields: { queue: 'string', message_id: 'string' },
        aliases: { topic: 'queue' },
      },
      handle: ({ queue, message_id: id }) => outcome(named(queue), topics.redrive(queue, identified(id)), id),
    }),
    builtin(WORKER, {
      id: 'iii::queue::discard_message',
      description: 'Forgets one failed message.',
      input: {
        struct: 'DiscardMessageInput',
        fields: { queue: 'string', message_id: 'string' },
        aliases: { topic: 'queue' },
      },
      handle: ({ queue, message_id: id }) => outcome(named(queue), topics.discard(queue, identified(id)), id),
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

function formatLetter({ id, payload, error, attempts, failedAt }: DeadLetter): JsonText {
  return objectText({
    id: quote(id),
    payload,
    error: quote(debugText(error)),
    failed_at: String(failedAt),
    retries: String(attempts),
    size_bytes: String(Buffer.byteLength(payload)),
  })
}

/** An error as the engine notes it on a dead letter. */
function debugText({ code, message, stacktrace }: WireError): string {
  const stack = stacktrace === undefined ? 'None' : `Some(${JSON.stringify(stacktrace)})`
  return `ErrorBody { code: ${JSON.stringify(code)}, message: ${JSON.stringify(message)}, stacktrace: ${stack} }`
}
