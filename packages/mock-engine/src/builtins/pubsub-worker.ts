import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/trigger.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import { EngineError } from '../wire/engine-error.ts'
import { builtin, builtinType } from './define.ts'
import { toObjectSchema } from './result-schemas.ts'

const WORKER = 'iii-pubsub'

/** `publish` and the trigger type `subscribe`. One subscriber that leaves a topic takes its siblings with it, a defect. */
export function pubsubWorker(bus: Bus): BuiltinWorker {
  const topics = new Map<string, Map<string, Trigger>>()
  return {
    workerName: WORKER,
    description: 'Messages to whoever subscribed to a topic.',
    internal: false,
    functions: [
      builtin(WORKER, {
        id: 'publish',
        description: 'Sends a value to every subscriber of a topic.',
        input: { struct: 'PubSubInput', fields: { topic: 'string', data: 'json' } },
        handle({ topic, data }) {
          if (topic === '') throw new EngineError('topic_not_set', 'Topic is not set')
          for (const { functionId, namespace } of topics.get(topic)?.values() ?? [])
            bus.calls.start({ functionId, namespace, data }, () => {})
          return undefined
        },
      }),
    ],
    types: [
      builtinType(WORKER, {
        id: 'subscribe',
        description: 'Subscribe to a topic',
        configSchema: toObjectSchema('condition_function_id?:string|null topic:string'),
        register(trigger) {
          const topic = topicOf(trigger)
          if (topic === undefined) return
          topics.set(topic, (topics.get(topic) ?? new Map<string, Trigger>()).set(trigger.id, trigger))
        },
        unregister(trigger) {
          const topic = topicOf(trigger) ?? ''
          if (bus.defects.lostSiblings) topics.delete(topic)
          else topics.get(topic)?.delete(trigger.id)
        },
      }),
    ],
  }
}

/** A binding without a topic is accepted and never fires. */
export function topicOf({ config }: Trigger): string | undefined {
  return toStringValue(toMembers(config)?.get('topic')) || undefined
}
