import { skillsFunctions } from '@iii/protocol'
import type { Handler, Worker } from '@iii/sdk'
import { isUndecided } from '../auth/decision.ts'
import { UNSEEN } from '../neighbours/clearance.ts'
import { HEALTH_REQUEST, HEALTH_RESPONSE } from './endpoint-schemas.ts'
import type { FrontDoorRules } from './host-and-origin.ts'
import type { HttpReply } from './reply.ts'
import { readHttpRequest } from './request.ts'
import { createRoute, type ServedRoute } from './route.ts'

/**
 * How a bridge is, for probes. `ready`: it does all that it can. `degraded`: it answers, and something is missing. `away`: it answers no
 * request of MCP, so others should. Whoever asks shows no token, so the reasons say nothing but what is fixed here.
 */
export interface Health {
  readonly status: 'ready' | 'degraded' | 'away'
  /** Whole sentences; none while it is ready. */
  readonly reasons: readonly string[]
}

export interface HealthSources {
  /** Why the settings cannot be used; undefined while they can. */
  readonly locked: () => string | undefined
  /** Why it answers nothing though the settings can be used. */
  readonly shut: () => string | undefined
  readonly rules: () => FrontDoorRules
}

/** Tells how the bridge is from what it has heard anyway: a probe never costs a question to the engine. */
export interface HealthWatch {
  tell(): Health
  /** The engine was asked for all of its functions. */
  saw(rows: readonly { readonly id: string }[]): void
  /** This process ends. */
  stopping(): void
}

const LOCKED = 'The configuration file locks this server: its log says which line is wrong.'
const UNASKED =
  'Others than this machine are let in, and nobody has said who of them may ask: see the log of this server.'
const SHUT =
  'Another server at this path asks callers for a token, and the configuration says nothing of who may ask here: an auth block in it ends that.'
const NOT_SEEN_YET =
  'It is not known yet whether another server at this path asks callers for a token, and the configuration says nothing of who may ask here: the next answer of the engine ends that, or an auth block in it.'
const STOPPING = 'This server is stopping.'
const UNINFORMED = 'This server does not know yet what the engine has.'
const ALONE = 'No skills registry is connected: there are no skills, and of prompts only those of this server.'

export function createHealthWatch({ locked, shut, rules }: HealthSources): HealthWatch {
  let hasLooked = false
  let hasRegistry = false
  let isStopping = false

  function explainClosed(): string | undefined {
    if (locked() !== undefined) return LOCKED
    if (isUndecided(rules())) return UNASKED
    const reason = shut()
    if (reason === undefined) return undefined
    return reason === UNSEEN ? NOT_SEEN_YET : SHUT
  }

  function* findAbsence(): Iterable<string> {
    if (isStopping) yield STOPPING
    const closed = explainClosed()
    if (closed !== undefined) yield closed
    if (!hasLooked) yield UNINFORMED
  }

  return {
    tell() {
      const absence = [...findAbsence()]
      if (absence.length > 0) return { status: 'away', reasons: absence }
      return hasRegistry ? { status: 'ready', reasons: [] } : { status: 'degraded', reasons: [ALONE] }
    },
    saw(rows) {
      hasLooked = true
      hasRegistry = rows.some(({ id }) => id === skillsFunctions.resourcesList.id)
    },
    stopping() {
      isStopping = true
    },
  }
}

const DESCRIPTION =
  'Whether this MCP server serves, for probes: ready, degraded or away, and why. It asks the engine nothing.'
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const

/** Answers probes over HTTP, and workers that call the function. Needs no `Host` of ours: kubelets and balancers name an address. */
function createHealthHandler(tell: () => Health): Handler {
  return (payload): Health | HttpReply => {
    const health = tell()
    const request = readHttpRequest(payload)
    if (request === undefined) return health
    const body = request.method === 'HEAD' ? null : JSON.stringify(health)
    return { status_code: health.status === 'away' ? 503 : 200, headers: HEADERS, body }
  }
}

/** Where probes ask: beside the endpoint, wherever that is. */
export function createHealthRoute(worker: Worker, tell: () => Health): ServedRoute {
  return createRoute(worker, {
    handler: createHealthHandler(tell),
    methods: ['GET', 'HEAD'],
    metadata: { internal: true },
    description: DESCRIPTION,
    request_format: HEALTH_REQUEST,
    response_format: HEALTH_RESPONSE,
  })
}
