import type { Worker } from '@iii/sdk'
import { type ResourceMetadata, toMetadataFunctionId } from '../auth/metadata.ts'
import type { HttpReply } from './reply.ts'
import { createRoute } from './route.ts'

/** Where clients look for what says who gives tokens for this server (RFC 9728). */
export interface MetadataRoute {
  /** @param metadata undefined where there is nothing to find */
  serve(metadata: ResourceMetadata | undefined): void
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'max-age=300' } as const

/** A route of its own, for anybody: a fixed text, whatever the request says. */
export function createMetadataRoute(worker: Worker): MetadataRoute {
  let current: ResourceMetadata | undefined
  const route = createRoute(worker, {
    handler: (): HttpReply => ({ status_code: 200, headers: HEADERS, body: current?.text ?? '{}' }),
    methods: ['GET'],
    metadata: { internal: true },
    description: 'Who gives tokens for the MCP server of this engine (RFC 9728).',
  })
  return {
    serve(metadata) {
      current = metadata
      route.serve(metadata && { path: metadata.path, functionId: toMetadataFunctionId(metadata.path) })
    },
  }
}
