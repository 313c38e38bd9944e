import type { Worker } from '@iii/sdk'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINT_REQUEST, ENDPOINT_RESPONSE } from './endpoint-schemas.ts'
import { toTooLargeReply } from './reply.ts'
import { createRoute, type ServedRoute } from './route.ts'

/** The engine passes the headers on within the message; it takes some 400 KB of them. */
const HEADER_BYTES = 512 * 1024

/** Where clients of MCP ask. */
export function createEndpointRoute(worker: Worker, handler: Endpoint, maxBodyBytes: number): ServedRoute {
  return createRoute(worker, {
    handler,
    methods: ['POST', 'GET', 'DELETE'],
    description: 'MCP over Streamable HTTP: functions, skills and prompts of this engine for AI agents.',
    request_format: ENDPOINT_REQUEST,
    response_format: ENDPOINT_RESPONSE,
    maxBytes: maxBodyBytes + HEADER_BYTES,
    onTooLarge: () => toTooLargeReply(maxBodyBytes),
  })
}
