import { InvocationError } from '@iii/sdk'

/** For an engine without the worker that keeps state. */
export const NO_STATE = 'the engine keeps no state: add the worker iii-state to its configuration'

/** Whether a call failed because the engine keeps no state. */
export function lacksState(error: unknown): boolean {
  return (
    error instanceof InvocationError && error.code === 'function_not_found' && error.function_id.startsWith('state::')
  )
}
