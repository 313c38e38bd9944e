import { builtin } from '../builtins/define.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import { ENGINE_NAMESPACES } from '../bus/trigger.ts'
import { objectText } from '../json/build.ts'

/**
 * Lets a part of the engine follow its stored settings, as on the engine: a function is bound to their changes. Whoever
 * removes the binding stops that.
 *
 * @param hidden - whether the default lists leave the function out.
 * @param apply - carries out what the settings say now.
 */
export function withConfigWatch(worker: BuiltinWorker, { hidden, apply = () => {} }: WatchOptions): BuiltinWorker {
  const { workerName, functions } = worker
  const id = `${workerName}::on-config-change`
  const takeChange = builtin(workerName, {
    id,
    description: 'Takes a change of the stored settings.',
    metadata: hidden ? '{"internal":true}' : undefined,
    handle() {
      apply()
      return '{"ok":true}'
    },
  })
  const watch = {
    id: `${workerName}::config-watch`,
    triggerType: 'configuration',
    functionId: id,
    config: objectText({ configuration_id: JSON.stringify(workerName), event_types: '["configuration:updated"]' }),
    metadata: undefined,
    ownerId: undefined,
    ...ENGINE_NAMESPACES,
  }
  return { ...worker, functions: [...functions, takeChange], bindings: [watch] }
}

interface WatchOptions {
  readonly hidden: boolean
  readonly apply?: () => void
}
