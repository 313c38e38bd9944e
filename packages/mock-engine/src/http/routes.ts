import { EngineError } from '../engine-error.ts'
import { comparePatterns, matchPath, type PathPattern, toPathPattern } from './path-pattern.ts'

/** What an HTTP binding serves. */
export interface Route {
  readonly triggerId: string
  readonly functionId: string
  /** Upper case; may be a method that is never routed. */
  readonly method: string
  /** The path as it was registered. */
  readonly apiPath: string
  readonly pattern: PathPattern
  readonly conditionId: string | undefined
  readonly middlewareIds: readonly string[]
  readonly metadata: string | undefined
}

/** A request's route and the values in its path. */
export interface Routed {
  readonly route: Route
  readonly params: ReadonlyMap<string, string>
}

/** Where a request goes: a route, or the methods its path has. */
export type RouteMatch = Routed | { readonly methods: readonly string[] }

/** The routes of the HTTP port: one for each method and path, the last registered wins. */
export interface Routes {
  /** @throws EngineError when the path differs from a registered one only in its parameter names. */
  add(route: Omit<Route, 'pattern'>): void
  /** Removes the route if this trigger is the one that serves it. */
  remove(method: string, apiPath: string, triggerId: string): void
  /** @returns `undefined` when no route has this path. */
  find(method: string, path: string): RouteMatch | undefined
}

const ROUTED_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

interface Place {
  readonly pattern: PathPattern
  readonly routes: Map<string, Route>
}

export function createRoutes(): Routes {
  /** By shape. */
  const places = new Map<string, Place>()
  let ordered: readonly Place[] = []

  return {
    add(route) {
      const pattern = toPathPattern(route.apiPath)
      const place = places.get(pattern.shape) ?? { pattern, routes: new Map<string, Route>() }
      const present = place.routes.get(route.method)
      if (present && present.pattern.path !== pattern.path) throw conflict(route.method, pattern, present.pattern)
      if (!ROUTED_METHODS.has(route.method)) return
      place.routes.set(route.method, { ...route, pattern })
      places.set(pattern.shape, place)
      ordered = order(places)
    },
    remove(method, apiPath, triggerId) {
      const { shape } = toPathPattern(apiPath)
      const place = places.get(shape)
      if (place?.routes.get(method)?.triggerId !== triggerId) return
      place.routes.delete(method)
      if (place.routes.size === 0) places.delete(shape)
      ordered = order(places)
    },
    find(method, path) {
      const place = ordered.find(({ pattern }) => matchPath(pattern, path))
      const route = place?.routes.get(method)
      if (!route) return place && { methods: [...place.routes.keys()] }
      return { route, params: matchPath(route.pattern, path) ?? new Map() }
    },
  }
}

function order(places: ReadonlyMap<string, Place>): Place[] {
  return [...places.values()].sort((a, b) => comparePatterns(a.pattern, b.pattern))
}

function conflict(method: string, added: PathPattern, present: PathPattern): EngineError {
  return new EngineError(
    'trigger_registration_failed',
    `Route '${method} ${added.path}' conflicts with already-registered route '${method} ${present.path}': routes with identical structure but different path-parameter names are not supported`,
  )
}
