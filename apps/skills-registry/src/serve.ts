import { Fault, type FunctionContract } from '@iii/protocol'
import { type Call, serveContract, type Worker } from '@iii/sdk'
import type { z } from 'zod'

/** Puts a function on the bus; what it throws as a Fault reaches the caller with its code. */
export type ServeFunction = <I extends z.ZodType, O extends z.ZodType>(
  contract: FunctionContract<I, O>,
  handler: (payload: z.output<I>, metadata: unknown, call: Call) => z.output<O> | Promise<z.output<O>>,
) => void

/** @param guard runs before every call, whatever its payload; what it throws is the answer. */
export function createServeFunction(worker: Worker, guard: () => void): ServeFunction {
  return (contract, handler) => serveContract(worker, contract, handler, { guard })
}

/** @throws Fault `invalid_input` with the problem, if there is one */
export function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Fault('invalid_input', problem)
}
