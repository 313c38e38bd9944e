import type { AskEngine, FunctionCaller } from '../engine/call.ts'
import { isLoopback } from '../engine/url.ts'
import { formatHttpAddress, type HttpAddress, lookUpHttpAddress } from './address.ts'
import type { HttpAnswer } from './request.ts'
import type { SelfRequests } from './self-requests.ts'

/** A route of the engine's HTTP port that this worker wants. */
export interface Route {
  /** Of the trigger. */
  readonly id: string
  readonly functionId: string
  readonly method: string
  /** As it was given, e.g. `/orders/:id`. */
  readonly path: string
}

/**
 * Whether requests to the engine's HTTP port come to this process. `reached`: one by each of its routes did, and its answer came back.
 * `blocked`: one did not, or cannot. `unknown`: nothing speaks against it, and it cannot be tried from here.
 */
export type RouteReach =
  | { readonly kind: 'reached' }
  /** @property why in a sentence without a full stop @property advice what to do about it */
  | { readonly kind: 'blocked' | 'unknown'; readonly why: string; readonly advice: string }

export interface RouteReachOptions {
  readonly routes: readonly Route[]
  readonly selfRequests: Pick<SelfRequests, 'send'>
  /** For a question to the engine, and for a request. @default 2000 */
  readonly requestMs?: number
}

const REACHED: RouteReach = { kind: 'reached' }
const AT_ONCE = 8

/** Tries all routes of a worker. @throws InvocationError when the engine does not answer */
export async function findRouteReach(
  engine: FunctionCaller & { readonly url: string },
  { routes, selfRequests, requestMs = 2_000 }: RouteReachOptions,
): Promise<RouteReach> {
  if (routes.length === 0) return REACHED
  if (new URL(engine.url).protocol !== 'ws:') return unknown('the engine is reached through a proxy')
  const ask: AskEngine = (function_id, payload) => engine.trigger({ function_id, payload, timeoutMs: requestMs })
  const address = await lookUpHttpAddress(ask, engine.url)
  if (address === 'none') return NO_PORT
  if (address === 'untold') return unknown('the engine does not tell this worker where it answers HTTP')
  const found: RouteReach[] = []
  for (let at = 0; at < routes.length; at += AT_ONCE) {
    const batch = routes.slice(at, at + AT_ONCE).map((route) => tryRoute(route, address, { selfRequests, requestMs }))
    found.push(...(await Promise.all(batch)))
  }
  return found.find(({ kind }) => kind === 'blocked') ?? found.find(({ kind }) => kind === 'unknown') ?? REACHED
}

async function tryRoute(
  { method, path }: Route,
  address: HttpAddress,
  { selfRequests, requestMs }: { selfRequests: Pick<SelfRequests, 'send'>; requestMs: number },
): Promise<RouteReach> {
  const label = `${method} /${path.replace(/^\//, '')}`
  try {
    const answer = await selfRequests.send(address, { method, path: toConcretePath(path), timeoutMs: requestMs })
    return answer === undefined ? REACHED : explainAnswer(answer, label)
  } catch (error) {
    return explainSilence(error, address, label)
  }
}

/** A path as a request has it. */
export function toConcretePath(path: string): string {
  return `/${path.replace(/^\//, '')}`.replace(/:[^/]+/g, 'iii-route-check')
}

const NO_PORT = blocked(
  'the engine has no HTTP port: its settings have no entry iii-http',
  'Add the worker iii-http to its config.yaml',
)

function explainAnswer({ status }: HttpAnswer, label: string): RouteReach {
  if (status === 404 || status === 405) {
    return blocked(
      `the engine's HTTP port does not know ${label} (HTTP ${status})`,
      'If the port of the engine that this worker is connected to has access rules, connect it to the trusted one; else look into the log of the engine, and restart it when its router has panicked',
    )
  }
  if (status === 401 || status === 403) {
    return unknown(`something on the way to ${label} lets no request of this process through (HTTP ${status})`)
  }
  return blocked(
    `a request of this process to ${label} was answered by something else (HTTP ${status})`,
    'Another worker has the route, or another program the HTTP port: stop it, or give one of the two another path or port',
  )
}

function explainSilence(error: unknown, address: HttpAddress, label: string): RouteReach {
  const where = formatHttpAddress(address)
  const { code, name, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError' || name === 'AbortError') {
    return blocked(
      `a request of this process to ${label} at ${where} came neither here nor back in time`,
      'The route may lead to a process that hangs: stop it, or restart the engine',
    )
  }
  const why = `nothing answers at ${where}, where the engine says that its HTTP port is (${code ?? message})`
  if (!isLoopback(address.host)) return unknown(why)
  return blocked(
    why,
    'Look into the log of the engine: another program may have the port; give iii-http a free one. Where a tunnel or a container lies between, requests of others may come here all the same: lead its HTTP port to this machine under the same number',
  )
}

function blocked(why: string, advice: string): RouteReach {
  return { kind: 'blocked', why, advice }
}

function unknown(why: string): RouteReach {
  return { kind: 'unknown', why, advice: 'Send a request to see whether it comes here' }
}
