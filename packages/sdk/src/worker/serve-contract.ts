import type { FunctionContract } from '@iii/protocol'
import type { z } from 'zod'
import type { Handler } from '../engine/call.ts'
import type { FunctionOptions, Registration } from './function.ts'
import type { Worker } from './worker.ts'

/**
 * Offers a function that `@iii/protocol` (or another package) describes: id, description and both schemas come from
 * the contract, payloads are checked, and the handler is typed by it. Unknown keys of a payload are dropped where the contract says so.
 *
 * @throws Fault `conflict` when this worker offers the id already.
 */
export function serveContract<I extends z.ZodType, O extends z.ZodType>(
  worker: Worker,
  contract: FunctionContract<I, O>,
  handler: Handler<z.output<I>, z.output<O>>,
  options: Pick<FunctionOptions, 'metadata' | 'maxBytes' | 'onTooLarge' | 'guard'> = {},
): Registration {
  const { id, description, request, response, unknownKeys } = contract
  return worker.registerFunction<unknown, z.ZodType, z.ZodType>(id, handler as unknown as Handler, {
    ...options,
    description,
    request_format: request,
    response_format: response,
    unknownKeys,
    metadata: { ...contract.metadata, ...options.metadata },
  })
}
