import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'
import { findHttpAddress, type HttpAddress } from '../http/address.ts'
import { askHttp } from '../http/request.ts'
import { type Route, toConcretePath } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import type { Registrations } from './ownership.ts'

/** Sees to it that the routes of this worker lead somewhere. */
export interface RouteCheck {
  /**
   * Names those who have bound the same routes to functions of their own, and registers the routes again that the HTTP
   * port does not know any more. Never throws; where the port cannot be reached it does nothing.
   */
  check(): Promise<void>
  /** Those of this worker's routes that nobody has bound to a function of his own; none where the engine does not tell. */
  free(): Promise<readonly Route[]>
  /** Starts over on a new connection. */
  reset(): void
}

export interface RouteCheckOptions {
  ask: AskEngine
  engineUrl: string
  registrations: Pick<Registrations, 'routes' | 'repeatRoutes'>
  log: Logger
  requestMs: number
}

const AT_ONCE = 8
const HttpTriggers = z.object({
  registered_triggers: z.array(
    z.object({
      id: z.string(),
      function_id: z.string(),
      worker_name: z.string().default('unknown'),
      config: z
        .object({ api_path: z.string(), http_method: z.string().default('GET') })
        .catch({ api_path: '', http_method: '' }),
    }),
  ),
})

export function createRouteCheck(options: RouteCheckOptions): RouteCheck {
  const { ask, registrations, log } = options
  const named = new Set<string>()
  /** Routes that were registered again; what is still missing then is not ours to mend, or not asked of the right port. */
  const repeated = new Set<string>()
  let address: Promise<HttpAddress | undefined> | undefined

  /** What others have bound the same routes to. */
  async function findRivals(routes: readonly Route[]) {
    const answer = await ask('engine::registered-triggers::list', { trigger_type: 'http' })
    const ours = new Map(routes.map((route) => [toKey(route.method, route.path), route]))
    return HttpTriggers.parse(answer).registered_triggers.flatMap(({ config, ...rival }) => {
      const key = toKey(config.http_method, config.api_path)
      const route = ours.get(key)
      return route === undefined || route.functionId === rival.function_id ? [] : [{ ...rival, key, route }]
    })
  }

  async function nameRivals(routes: readonly Route[]): Promise<void> {
    for (const { id, function_id, worker_name, key } of await findRivals(routes)) {
      if (named.has(id)) continue
      named.add(id)
      log.warn(
        { function_id, worker: worker_name },
        `the route ${key} is bound to the function ${function_id} of another worker too; the last to register it serves it. Give one of the two another path`,
      )
    }
  }

  async function repeatMissing(routes: readonly Route[]): Promise<void> {
    address ??= findAddress(options)
    const where = await address
    if (where === undefined) return
    const paths = [...new Set(routes.map(({ path }) => path))]
    const known = new Map<string, ReadonlySet<string> | undefined>()
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      const batch = paths
        .slice(at, at + AT_ONCE)
        .map(async (path) => known.set(path, await readMethods(where, path, options.requestMs)))
      await Promise.all(batch)
    }
    const missing = routes.filter(({ id, method, path }) => {
      const isMissing = known.get(path)?.has(method) === false
      if (!isMissing) repeated.delete(id)
      return isMissing && !repeated.has(id)
    })
    if (missing.length === 0) return
    for (const { id } of missing) repeated.add(id)
    log.info({ routes: missing.map(({ method, path }) => toKey(method, path)) }, 'routes were gone; registered again')
    registrations.repeatRoutes(missing.map(({ id }) => id))
  }

  return {
    async check() {
      const routes = registrations.routes()
      if (routes.length === 0) return
      await nameRivals(routes).catch(() => undefined)
      await repeatMissing(routes).catch(() => undefined)
    },
    async free() {
      const routes = registrations.routes()
      const rivals = await findRivals(routes).catch(() => undefined)
      return rivals === undefined ? [] : routes.filter(({ id }) => !rivals.some(({ route }) => route.id === id))
    },
    reset() {
      address = undefined
      repeated.clear()
    },
  }
}

/** Where the engine answers HTTP; undefined where it does not say, or is reached in a way that says nothing about it. */
async function findAddress({ ask, engineUrl }: RouteCheckOptions): Promise<HttpAddress | undefined> {
  return new URL(engineUrl).protocol === 'ws:' ? findHttpAddress(ask, engineUrl) : undefined
}

/**
 * The methods that are routed at a path. The engine answers every OPTIONS by itself, with an `allow` header for the paths
 * that it knows, and calls no function; undefined when nobody answers so.
 */
async function readMethods(
  address: HttpAddress,
  path: string,
  timeoutMs: number,
): Promise<ReadonlySet<string> | undefined> {
  const question = { method: 'OPTIONS', path: toConcretePath(path), timeoutMs }
  const answer = await askHttp(address, question).catch(() => undefined)
  if (answer?.status !== 200) return undefined
  const { allow } = answer.headers
  return new Set(
    String(allow ?? '')
      .split(',')
      .map((method) => method.trim()),
  )
}

function toKey(method: string, path: string): string {
  return `${method.toUpperCase()} /${path.replace(/^\//, '')}`
}
