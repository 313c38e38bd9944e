import type { EngineFunction } from './functions.ts'
import type { Trigger } from './trigger.ts'
import type { TriggerType } from './trigger-types.ts'

/** A worker that lives in the engine: its functions and trigger types, shown in `engine::workers::list` under one name. */
export interface BuiltinWorker {
  readonly workerName: string
  readonly description: string
  /** Whether it is a part that every engine has. */
  readonly internal: boolean
  readonly functions: readonly EngineFunction[]
  readonly types: readonly TriggerType[]
  /** Bindings of its own functions. */
  readonly bindings?: readonly Trigger[]
}
