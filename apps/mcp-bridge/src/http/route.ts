import type { FunctionOptions, Handler, Registration, Worker } from '@iii/sdk'
import type { ApiPath } from '../mcp/api-path.ts'

/** What answers on a path of the engine's HTTP port. */
export interface RouteOptions extends FunctionOptions {
  readonly handler: Handler
  readonly methods: readonly string[]
}

/** A function of this worker's, and a trigger for each of its methods, on one path at a time. */
export interface ServedRoute {
  /** Moves it; does nothing where it is there already. @param place undefined where there is to be none */
  serve(place: ApiPath | undefined): void
}

export function createRoute(worker: Worker, { handler, methods, ...options }: RouteOptions): ServedRoute {
  let current: string | undefined
  let registrations: Registration[] = []

  function open({ path, functionId }: ApiPath): Registration[] {
    const bind = (http_method: string) =>
      worker.registerTrigger({ type: 'http', function_id: functionId, config: { api_path: path, http_method } })
    return [worker.registerFunction(functionId, handler, options), ...methods.map(bind)]
  }

  return {
    serve(place) {
      if (place?.path === current) return
      for (const registration of registrations.reverse()) registration.unregister()
      current = place?.path
      registrations = place === undefined ? [] : open(place)
    },
  }
}
