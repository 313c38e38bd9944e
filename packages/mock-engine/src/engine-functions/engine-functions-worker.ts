import { builtin } from '../builtins/define.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import { type Channels, channelRef } from '../channels/channels.ts'
import { objectText } from '../json/build.ts'
import { availabilityTypes } from './availability.ts'
import { functionBuiltins } from './functions.ts'
import { bindingBuiltins, bindingMakers, triggerTypeBuiltins } from './triggers.ts'
import { workerBuiltins } from './workers.ts'

const WORKER = 'iii-engine-functions'

/** What the engine tells about itself, and channels. */
export function engineWorker(bus: Bus, channels: Channels, startedAt: number): BuiltinWorker {
  return {
    workerName: WORKER,
    description: 'What is registered on this engine, and who is connected.',
    internal: true,
    types: availabilityTypes(),
    functions: [
      ...functionBuiltins(bus, WORKER),
      ...workerBuiltins(bus, WORKER, startedAt),
      ...triggerTypeBuiltins(bus, WORKER),
      ...bindingBuiltins(bus, WORKER),
      ...bindingMakers(bus, WORKER),
      channelBuiltin(channels),
    ],
  }
}

function channelBuiltin(channels: Channels) {
  return builtin(WORKER, {
    id: 'engine::channels::create',
    description: 'A one-way stream between two workers: a reference for each side.',
    input: { struct: 'CreateChannelInput', fields: { buffer_size: 'usize?' } },
    handle({ buffer_size: bufferSize }) {
      const channel = channels.create(bufferSize)
      return objectText({ writer: channelRef(channel, 'write'), reader: channelRef(channel, 'read') })
    },
  })
}

/** Parts of the engine that offer nothing on the bus and are listed all the same. */
export function listenerWorkers(): BuiltinWorker[] {
  const nothing = { internal: true, functions: [], types: [] } as const
  return [
    { ...nothing, workerName: 'iii-telemetry', description: 'Reports of use, which this engine never sends.' },
    { ...nothing, workerName: 'iii-worker-manager', description: 'The listener that workers connect to.' },
  ]
}
