import type { ExposeRule } from './expose.ts'

/** A second bus listener whose workers may do less. The functions it names are served by workers on the open one. */
export interface RestrictedListener {
  /** 0 takes any free port. @default 0 */
  readonly port?: number
  /** Function that decides who may connect; it gets headers, query and address. Without it everybody may. */
  readonly authFunctionId?: string
  /** What its workers may call. @default [] */
  readonly expose?: readonly ExposeRule[]
  /** Function that is called in the place of whatever its workers call, but functions of the engine. */
  readonly middlewareFunctionId?: string
  /** Function that is asked about every function its workers register: an object lets it pass, and may change it. */
  readonly onFunctionRegistrationId?: string
  /** The same for bindings. */
  readonly onTriggerRegistrationId?: string
  /** The same for trigger types. */
  readonly onTriggerTypeRegistrationId?: string
}
