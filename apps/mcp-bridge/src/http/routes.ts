import type { Registration, Worker } from '@iii/sdk'
import { type ApiPath, parseApiPath } from '../mcp/api-path.ts'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINT_REQUEST, ENDPOINT_RESPONSE } from './endpoint-schemas.ts'
import { toTooLargeReply } from './reply.ts'

/** The endpoint on the engine's HTTP port: one function, and a trigger for each method. */
export interface Routes {
  /** Moves the endpoint; does nothing when it is there already. */
  serve(apiPath: string): void
  close(): void
}

const METHODS = ['POST', 'GET', 'DELETE'] as const
/** The engine passes the headers on within the message; it takes some 400 KB of them. */
const HEADER_BYTES = 512 * 1024

export function createRoutes(worker: Worker, handler: Endpoint, maxBodyBytes: number): Routes {
  let current: ApiPath | undefined
  let registrations: Registration[] = []

  function close(): void {
    for (const registration of registrations.reverse()) registration.unregister()
    registrations = []
    current = undefined
  }

  return {
    serve(apiPath) {
      const path = parseApiPath(apiPath)
      if (path === undefined || path.path === current?.path) return
      close()
      current = path
      registrations.push(
        worker.registerFunction(path.functionId, handler, {
          description: 'MCP over Streamable HTTP: functions, skills and prompts of this engine for AI agents.',
          request_format: ENDPOINT_REQUEST,
          response_format: ENDPOINT_RESPONSE,
          maxBytes: maxBodyBytes + HEADER_BYTES,
          onTooLarge: () => toTooLargeReply(maxBodyBytes),
        }),
      )
      for (const method of METHODS) {
        const config = { api_path: path.path, http_method: method }
        registrations.push(worker.registerTrigger({ type: 'http', function_id: path.functionId, config }))
      }
    },
    close,
  }
}
