import type { Worker } from '@iii/sdk'
import { toResourceMetadata } from '../auth/metadata.ts'
import type { BridgeOptions } from '../options.ts'
import type { Endpoint } from './endpoint.ts'
import { createHealthHandler, createHealthRoute, type HealthWatch } from './health.ts'
import { createMetadataRoute } from './metadata-route.ts'
import { createRoutes } from './routes.ts'

export interface Serving {
  /** What the endpoint's function does. */
  readonly handler: Endpoint
  readonly health: Pick<HealthWatch, 'tell'>
}

/** Puts the endpoint, what probes ask, and what leads clients to tokens, where the settings want them. */
export function createServedPaths(worker: Worker, { handler, health }: Serving, maxBodyBytes: number) {
  const routes = createRoutes(worker, handler, maxBodyBytes)
  const probes = createHealthRoute(worker, createHealthHandler(health.tell))
  const metadata = createMetadataRoute(worker)
  return ({ apiPath, auth }: Pick<BridgeOptions, 'apiPath' | 'auth'>): void => {
    routes.serve(apiPath)
    probes.serve(apiPath)
    metadata.serve(toResourceMetadata(auth))
  }
}
