import { parseFault } from '@iii/protocol'
import type { WireError } from './frames.ts'

/** An error with the code a caller receives; from the helpers of tests, with that of the fault which a function threw. */
export class EngineError extends Error implements WireError {
  override name = 'EngineError'
  readonly code: string
  readonly stacktrace: string | undefined

  constructor(code: string, message: string, stacktrace?: string) {
    super(message)
    this.code = code
    this.stacktrace = stacktrace
  }
}

/** What anything thrown by a built-in looks like to its caller. */
export function toWireError(error: unknown): WireError {
  if (error instanceof EngineError) return { code: error.code, message: error.message, stacktrace: error.stacktrace }
  return { code: 'invocation_error', message: error instanceof Error ? error.message : String(error) }
}

/** The failure of a call as a test reads it: every throw of a function arrives as `invocation_failed`, and the code of its fault in the message. */
export function toCallError({ code, message, stacktrace }: WireError): EngineError {
  const fault = code === 'invocation_failed' ? parseFault(message) : undefined
  return new EngineError(fault?.code ?? code, fault?.message ?? message, stacktrace)
}
