/** Every reason a call can fail for on purpose. Anything else that is thrown is a bug and reads as `internal`. */
export const FAULT_CODES = [
  'invalid_input',
  'not_found',
  'forbidden',
  'unavailable',
  'deadline',
  'worker_lost',
  'overloaded',
  'too_large',
  'conflict',
  'internal',
] as const

/** One of {@link FAULT_CODES}. */
export type FaultCode = (typeof FAULT_CODES)[number]

/**
 * The one error that workers throw on purpose: a code for programs, a message for people that says what is wrong and what
 * would be right.
 *
 * @example
 * throw new Fault('not_found', 'Skill not found: orders/returns')
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  /** Why the call failed. */
  readonly code: FaultCode

  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Writes a fault as the message that crosses the engine: codes of handlers do not survive it (every throw arrives as
 * `invocation_failed`), so the code travels at the end of the text.
 *
 * @example
 * formatFault({ code: 'not_found', message: 'Skill not found: a' }) // 'Skill not found: a [not_found]'
 */
export function formatFault(fault: { readonly code: FaultCode; readonly message: string }): string {
  return `${fault.message} [${fault.code}]`
}

/**
 * Reads a message that {@link formatFault} wrote.
 *
 * @returns undefined when the text does not end in a known code in brackets.
 *
 * @example
 * parseFault('Skill not found: a [not_found]') // { code: 'not_found', message: 'Skill not found: a' }
 */
export function parseFault(text: string): { code: FaultCode; message: string } | undefined {
  if (!text.endsWith(']')) return undefined
  const open = text.lastIndexOf(' [')
  if (open === -1) return undefined
  const code = text.slice(open + 2, -1)
  return isFaultCode(code) ? { code, message: text.slice(0, open) } : undefined
}

/**
 * Tells whether a text is one of {@link FAULT_CODES}.
 *
 * @example
 * isFaultCode('not_found') // true
 */
export function isFaultCode(code: string): code is FaultCode {
  return (FAULT_CODES as readonly string[]).includes(code)
}

/**
 * Turns whatever was thrown into a fault: the code comes from the end of the message (see {@link formatFault}), else from
 * the error's own `code` (a fault's or one of the engine's), else it is `internal`. Never throws; the error given is the
 * `cause`.
 *
 * @example
 * toFault({ code: 'TIMEOUT', message: 'no answer after 30000 ms' }).code // 'deadline'
 * toFault(new Error('Skill not found: a [not_found]')).message // 'Skill not found: a'
 */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const { code, message } = readError(error)
  const travelled = parseFault(message)
  if (travelled) return new Fault(travelled.code, travelled.message, { cause: error })
  return new Fault(toFaultCode(code), message || 'unknown error', { cause: error })
}

/** What the engine, its built-in functions and the clients (ours and the official ones) call the same reasons. */
const wireCodes: ReadonlyMap<string, FaultCode> = new Map([
  ['TIMEOUT', 'deadline'],
  ['TIMEOUTERROR', 'deadline'],
  ['FUNCTION_NOT_FOUND', 'unavailable'],
  ['INVOCATION_STOPPED', 'worker_lost'],
  ['CHANNEL_SEND_FAILED', 'worker_lost'],
  ['CONNECTION_LOST', 'worker_lost'],
  ['CLOSED', 'unavailable'],
  ['FORBIDDEN', 'forbidden'],
  ['AUTH_ERROR', 'forbidden'],
  ['NOT_FOUND', 'not_found'],
  ['NOT_REGISTERED', 'not_found'],
  ['INVALID_ARGUMENTS', 'invalid_input'],
  ['INVALID_ID', 'invalid_input'],
  ['SCHEMA_INVALID', 'invalid_input'],
  ['DESERIALIZATION_ERROR', 'invalid_input'],
  ['VALUE_TOO_LARGE', 'too_large'],
])

function toFaultCode(code: string): FaultCode {
  return isFaultCode(code) ? code : (wireCodes.get(code.toUpperCase()) ?? 'internal')
}

function readError(error: unknown): { code: string; message: string } {
  try {
    if (typeof error !== 'object' || error === null) return { code: '', message: String(error ?? '') }
    const { code, name, message } = error as Record<'code' | 'name' | 'message', unknown>
    const known = typeof code === 'string' ? code : typeof name === 'string' ? name : ''
    const text = typeof message === 'string' ? message : ''
    // The official client puts its code before the callee's text.
    const prefix = `${known}: `
    return { code: known, message: text.startsWith(prefix) ? text.slice(prefix.length) : text }
  } catch {
    return { code: '', message: '' }
  }
}
