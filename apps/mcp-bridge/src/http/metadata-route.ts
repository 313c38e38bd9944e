import type { Registration, Worker } from '@iii/sdk'
import { type ResourceMetadata, toMetadataFunctionId } from '../auth/metadata.ts'
import type { HttpReply } from './reply.ts'

/** Where clients look for what says who gives tokens for this server (RFC 9728). */
export interface MetadataRoute {
  /** @param metadata undefined where there is nothing to find */
  serve(metadata: ResourceMetadata | undefined): void
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'max-age=300' } as const

/** A route of its own, for anybody: a fixed text, whatever the request says. */
export function createMetadataRoute(worker: Worker): MetadataRoute {
  let current: ResourceMetadata | undefined
  let registrations: Registration[] = []

  function close(): void {
    for (const registration of registrations.reverse()) registration.unregister()
    registrations = []
  }

  function open(path: string): void {
    const functionId = toMetadataFunctionId(path)
    const answer = (): HttpReply => ({ status_code: 200, headers: HEADERS, body: current?.text ?? '{}' })
    const description = 'Who gives tokens for the MCP server of this engine (RFC 9728).'
    registrations = [
      worker.registerFunction(functionId, answer, { metadata: { internal: true }, description }),
      worker.registerTrigger({ type: 'http', function_id: functionId, config: { api_path: path, http_method: 'GET' } }),
    ]
  }

  return {
    serve(metadata) {
      const isThere = metadata?.path === current?.path
      current = metadata
      if (isThere) return
      close()
      if (metadata !== undefined) open(metadata.path)
    },
  }
}
