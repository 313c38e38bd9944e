import { InvocationError } from './invocation-error.ts'

/** Did a call fail because nobody offers this very function? One that is missing further down comes as its caller's own failure. */
export function isAbsent(error: unknown, functionId: string): boolean {
  return error instanceof InvocationError && error.code === 'function_not_found' && error.function_id === functionId
}
