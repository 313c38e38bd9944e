import type { Handler, Worker } from '@iii/sdk'
import { toMetadata } from '../auth/metadata.ts'
import type { BridgeOptions } from '../options.ts'
import { createMetadataRoute } from './metadata-route.ts'
import { createRoutes } from './routes.ts'

/** Puts the endpoint, and what leads clients to tokens for it, where the settings want them. */
export function createServedPaths(worker: Worker, handler: Handler, maxBodyBytes: number) {
  const routes = createRoutes(worker, handler, maxBodyBytes)
  const metadata = createMetadataRoute(worker)
  return ({ apiPath, auth }: Pick<BridgeOptions, 'apiPath' | 'auth'>): void => {
    routes.serve(apiPath)
    metadata.serve(toMetadata(auth))
  }
}
