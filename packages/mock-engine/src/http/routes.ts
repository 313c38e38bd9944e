import type { Defects } from '../bus/defects.ts'
import { Panic } from '../bus/panic.ts'
import { EngineError } from '../wire/engine-error.ts'
import { toParams, toPathPattern, toSpelling } from './path-pattern.ts'
import { buildRouter, type Router, type RouterEntry } from './router.ts'

/** What an HTTP binding serves. */
export interface HttpRoute {
  readonly triggerId: string
  readonly ownerId: string | undefined
  readonly functionId: string
  /** Where the function is looked for, its condition and middleware too. */
  readonly namespace: string
  /** Upper case; may be a method that is never routed. */
  readonly method: string
  /** The path as it was registered. */
  readonly apiPath: string
  readonly conditionId: string | undefined
  readonly middlewareIds: readonly string[]
  readonly metadata: string | undefined
}

/** A request's route and the values in its path. */
export interface Routed {
  readonly route: HttpRoute
  readonly params: ReadonlyMap<string, string>
}

/** Where a request goes: a route, or the methods its path has. */
export type RouteMatch = Routed | { readonly methods: readonly string[] }

/** The routes of the HTTP port: one for each method and path, the last registered wins. */
export interface HttpRoutes {
  /**
   * @throws EngineError when the path differs from a registered one only in its parameter names.
   * @throws Panic when no router can be built with this route, now and at every later change while it is there.
   */
  add(route: HttpRoute): void
  /** Removes the route if this trigger is the one that serves it. @throws Panic when no router can be built without it. */
  remove(route: Pick<HttpRoute, 'method' | 'apiPath' | 'triggerId' | 'ownerId'>): void
  /** @returns `undefined` when no route has this path. */
  find(method: string, path: string): RouteMatch | undefined
}

/**
 * A route is entered first and the router is built anew then. When that fails the entry stays and the old router goes
 * on: its paths lead to whatever is entered for them now.
 */
export function createHttpRoutes({ poisonedRouter }: Pick<Defects, 'poisonedRouter'>): HttpRoutes {
  const entries = new Map<string, Entry>()
  let router = buildRouter([]) as Router

  function rebuild(): void {
    const next = buildRouter(routable(entries))
    if ('problem' in next) throw new Panic(next.problem)
    router = next
  }

  function add(route: HttpRoute): void {
    const entry = toEntry(route)
    const key = toKey(route)
    for (const [other, present] of entries) {
      if (other !== key && present.shape === entry.shape) throw conflict(route, present.route)
    }
    if (!poisonedRouter) refuseUnroutable(new Map(entries).set(key, entry))
    entries.set(key, entry)
    rebuild()
  }

  return {
    add,
    remove(route) {
      const key = toKey(route)
      const present = entries.get(key)?.route
      if (present?.triggerId !== route.triggerId || present.ownerId !== route.ownerId) return
      entries.delete(key)
      rebuild()
    },
    find(method, path) {
      const found = router.find(path)
      if (!found) return undefined
      // The head of a GET route is asked for in vain: nothing is entered for it.
      const placed = found.get(method) ?? (method === 'HEAD' ? found.get('GET') : undefined)
      if (!placed) return { methods: [...found.keys()] }
      const route = entries.get(toKey({ method, apiPath: placed.apiPath }))?.route
      return route && { route, params: toParams(placed.apiPath, path) }
    },
  }
}

interface Entry extends RouterEntry {
  readonly route: HttpRoute
  /** Equal for two routes of one method that match the same paths, as far as the engine looks before it builds a router. */
  readonly shape: string
}

const ROUTED_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

function toEntry(route: HttpRoute): Entry {
  const { method, apiPath } = route
  const shape = toSpelling(apiPath)
    .split('/')
    .map((segment) => (/^\{.*\}$/s.test(segment) ? '{}' : segment))
    .join('/')
  return { route, method, apiPath, pattern: toPathPattern(apiPath), shape: `${method}:${shape}` }
}

/** A method the engine does not know is entered and never routed. */
function routable(entries: ReadonlyMap<string, Entry>): Entry[] {
  return [...entries.values()].filter(({ method }) => ROUTED_METHODS.has(method))
}

/** One entry for each method and path, however many slashes the path begins with. */
function toKey({ method, apiPath }: Pick<HttpRoute, 'method' | 'apiPath'>): string {
  return `${method}:${apiPath === '/' ? '/' : apiPath.replace(/^\/+/, '')}`
}

function refuseUnroutable(entries: ReadonlyMap<string, Entry>): void {
  const built = buildRouter(routable(entries))
  if ('problem' in built) throw new EngineError('trigger_registration_failed', built.problem)
}

function conflict(added: HttpRoute, present: HttpRoute): EngineError {
  return new EngineError(
    'trigger_registration_failed',
    `Route '${added.method} ${added.apiPath}' conflicts with already-registered route '${added.method} ${present.apiPath}': routes with identical structure but different path-parameter names are not supported`,
  )
}
