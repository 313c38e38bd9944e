import type { FunctionContract } from '@iii/protocol'
import { type Call, serveContract, type Worker } from '@iii/sdk'
import type { z } from 'zod'

/** Puts a function on the bus; what it throws as a Fault reaches the caller with its code. */
export type Serve = <I extends z.ZodType, O extends z.ZodType>(
  contract: FunctionContract<I, O>,
  handler: (payload: z.output<I>, metadata: unknown, call: Call) => z.output<O> | Promise<z.output<O>>,
) => void

/**
 * Creates the one way in which this worker's functions come onto the bus.
 *
 * @param check runs before every call, whatever its payload; what it throws is the answer.
 */
export function createServe(worker: Worker, check: () => void): Serve {
  return (contract, handler) => {
    serveContract(worker, contract, handler, { guard: check })
  }
}
