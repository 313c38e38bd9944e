import type { Worker } from '@iii/sdk'
import { toResourceMetadata } from '../auth/metadata.ts'
import { parseApiPath, toHealthPath } from '../mcp/api-path.ts'
import type { BridgeOptions } from '../options.ts'
import type { Endpoint } from './endpoint.ts'
import { createEndpointRoute } from './endpoint-route.ts'
import { createHealthRoute, type HealthWatch } from './health.ts'
import { createMetadataRoute } from './metadata-route.ts'

export interface Serving {
  /** What the endpoint's function does. */
  readonly handler: Endpoint
  readonly health: Pick<HealthWatch, 'tell'>
}

/** Puts the endpoint, what probes ask, and what leads clients to tokens, where the settings want them. */
export function createServedPaths(worker: Worker, { handler, health }: Serving, maxBodyBytes: number) {
  const endpoint = createEndpointRoute(worker, handler, maxBodyBytes)
  const probes = createHealthRoute(worker, health.tell)
  const metadata = createMetadataRoute(worker)
  return ({ apiPath, auth }: Pick<BridgeOptions, 'apiPath' | 'auth'>): void => {
    const place = parseApiPath(apiPath)
    if (place !== undefined) {
      endpoint.serve(place)
      probes.serve(toHealthPath(place))
    }
    metadata.serve(toResourceMetadata(auth))
  }
}
