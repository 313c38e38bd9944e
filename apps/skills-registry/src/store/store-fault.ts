import { Fault, toFault, toPlainMessage } from '@iii/protocol'
import { formatIssues, InvocationError } from '@iii/sdk'
import { z } from 'zod'

/** Names the call of the store that failed; the code says whether it is worth trying again. */
export async function callStore<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = toFault(error)
    throw new Fault(fault.code, `${call}: ${toPlainMessage(fault.message)}`, { cause: error })
  }
}

/** The store was asked and did not answer: it took too long, or it or the connection went away meanwhile. */
export function isOutcomeUnknown(error: unknown): boolean {
  return causedBy(error, ['TIMEOUT', 'connection_lost', 'invocation_stopped'])
}

/** The connection ended before the answer was there. */
export function isConnectionLost(error: unknown): boolean {
  return causedBy(error, ['connection_lost'])
}

/** The connection was ended because the answer is larger than a message may be; the words are those of the WebSocket library. */
export function isTooLarge(error: unknown): boolean {
  return isConnectionLost(error) && error instanceof Fault && error.message.includes('Max payload size exceeded')
}

function causedBy(error: unknown, codes: readonly string[]): boolean {
  const cause = error instanceof Fault ? error.cause : undefined
  return cause instanceof InvocationError && codes.includes(cause.code)
}

/** A row is there, and is no record: nothing but writing it anew mends that. */
export function toUndecodable(what: string, key: string, error: z.ZodError): Fault {
  return new Fault('internal', `decode stored ${what} ${key}: ${toProblem(error)}`, { cause: error })
}

/** Is it what {@link toUndecodable} made? */
export function isUndecodable(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof z.ZodError
}

/** Says what is wrong with a stored row: its first field that is, and what would be right. */
function toProblem({ issues }: z.ZodError): string {
  return formatIssues(issues.slice(0, 1))
}
