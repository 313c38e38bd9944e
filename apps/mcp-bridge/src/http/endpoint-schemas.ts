import { z } from 'zod'

/** What the function of the endpoint takes and gives, for whoever lists functions. It answers anything, and checks for itself. */

const text = z.string()
const Headers = z.record(text, text)

const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([text, z.int()]).optional(),
    method: text.optional(),
    params: z.looseObject({}).optional(),
  })
  .describe('One JSON-RPC message, given by iii.trigger.')

/** Where it is not known what is answered, the id is null (JSON-RPC, 5.1). */
const JsonRpcAnswer = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: z.union([text, z.int()]).nullable() })
  .describe('The answer to one JSON-RPC message that was given by iii.trigger.')

const HttpRequest = z
  .looseObject({ method: text, headers: Headers, body: z.unknown().optional() })
  .describe("A request of the engine's http trigger.")

const HttpResponse = z
  .object({ status_code: z.int(), headers: Headers, body: text.nullable() })
  .describe('The HTTP response.')

export const ENDPOINT_REQUEST = toSchema(z.union([HttpRequest, JsonRpcMessage]))
export const ENDPOINT_RESPONSE = toSchema(
  z.union([HttpResponse, JsonRpcAnswer, z.null().describe('Sent as a stream, or nothing to answer.')]),
)

const Health = z
  .object({ status: z.enum(['ready', 'degraded', 'away']), reasons: z.array(text) })
  .describe('How the bridge is, for whoever asks on the bus.')

export const HEALTH_REQUEST = toSchema(z.union([HttpRequest, z.looseObject({}).describe('Anything.')]))
export const HEALTH_RESPONSE = toSchema(z.union([HttpResponse, Health]))

function toSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>
}
