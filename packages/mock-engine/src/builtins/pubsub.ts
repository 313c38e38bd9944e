import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/triggers.ts'
import { EngineError } from '../engine-error.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import { builtin, builtinType, type Family } from './define.ts'

const WORKER = 'iii-pubsub'

/**
 * `publish` and the trigger type `subscribe`. As on the engine, one subscriber that leaves a topic takes its siblings
 * with it, and nobody is told.
 */
export function pubsubFamily(bus: Bus): Family {
  const topics = new Map<string, Map<string, Trigger>>()
  return {
    workerName: WORKER,
    description: 'Messages to whoever subscribed to a topic.',
    functions: [
      builtin(WORKER, {
        id: 'publish',
        description: 'Sends a value to every subscriber of a topic.',
        input: { struct: 'PubSubInput', fields: { topic: 'string', data: 'json' } },
        handle({ topic, data }) {
          if (topic === '') throw new EngineError('topic_not_set', 'Topic is not set')
          for (const { functionId } of topics.get(topic)?.values() ?? [])
            bus.calls.start({ functionId, data }, () => {})
          return undefined
        },
      }),
    ],
    types: [
      builtinType(WORKER, {
        id: 'subscribe',
        description: 'Subscribe to a topic',
        register(trigger) {
          const topic = topicOf(trigger)
          if (topic === undefined) return
          topics.set(topic, (topics.get(topic) ?? new Map<string, Trigger>()).set(trigger.id, trigger))
        },
        unregister: (trigger) => void topics.delete(topicOf(trigger) ?? ''),
      }),
    ],
  }
}

/** A binding without a topic is accepted and never fires. */
export function topicOf({ config }: Trigger): string | undefined {
  return toStringValue(toMembers(config)?.get('topic')) || undefined
}
