import { Fault } from '@iii/protocol'
import { InvocationError } from '@iii/sdk'

/** For an engine without the worker that keeps state. */
export const NO_STATE = 'the engine keeps no state: add the worker iii-state to its configuration'

/** Whether a call failed because the engine keeps no state. */
export function lacksState(error: unknown): boolean {
  return (
    error instanceof InvocationError && error.code === 'function_not_found' && error.function_id.startsWith('state::')
  )
}

/**
 * What is done for a caller, or for who reads the log: they see nothing of the engine.
 *
 * @throws Fault `unavailable` that says what an engine without state lacks; any other error as it is
 */
export async function explainNoState<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw lacksState(error) ? new Fault('unavailable', NO_STATE, { cause: error }) : error
  }
}
