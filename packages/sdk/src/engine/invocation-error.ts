/**
 * A call that did not come back with a result.
 *
 * `code` is what the engine or the callee said (`function_not_found`, `invocation_failed`, `invocation_stopped`, …), or
 * one of our own: `TIMEOUT` (the deadline passed), `connection_lost` (the socket died while the call was out),
 * `ABORTED` (the caller's signal fired), `closed` (this worker has been shut down). The text of the first two says
 * whether the outcome is unknown. `message` is the callee's text as it came.
 */
export class InvocationError extends Error {
  override readonly name = 'InvocationError'
  readonly code: string
  readonly function_id: string

  constructor(code: string, message: string, functionId: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.function_id = functionId
  }
}

/** The worker has left for good. @param done what cannot be done with the function, or with what is of its kind, any more */
export function shutDownError(id: string, done: string): InvocationError {
  return new InvocationError('closed', `This worker was shut down; ${id} cannot be ${done} any more`, id)
}

/** Did a call fail because nobody offers this very function? One that is missing further down comes as its caller's own failure. */
export function isAbsent(error: unknown, functionId: string): boolean {
  return error instanceof InvocationError && error.code === 'function_not_found' && error.function_id === functionId
}
