import { toScope } from '@iii/protocol'
import { type Logger, readHost, type Served, type Settings, type Worker } from '@iii/sdk'
import { assemble } from './assemble.ts'
import { createAuthentication } from './auth/authentication.ts'
import { createCountedFetch } from './auth/issuers/fetch-document.ts'
import { EVERYBODY } from './auth/principal.ts'
import { serveLive } from './changes/live.ts'
import { createNetworkWatch } from './http/network-watch.ts'
import { createServedPaths } from './http/served-paths.ts'
import { isShown, readWorkerHost, type WorkerHost } from './management/index.ts'
import { BRIDGE_LIMITS, type BridgeLimits } from './mcp/limits.ts'
import { toToldReason } from './mcp/locked-error.ts'
import { serveSettings } from './neighbours/told-settings.ts'
import { createNeighbourWatch, type NeighbourWatch, type NeighbourWatchOptions } from './neighbours/watch.ts'
import type { BridgeOptions } from './options.ts'
import { SESSION_SCOPES, WATCHED_SCOPES } from './sessions/store.ts'
import { serveStdio } from './stdio/index.ts'
import type { StdioStreams } from './stdio/streams.ts'
import { readTelemetryEnvironment, type TelemetryEnvironment } from './telemetry/index.ts'

export interface BridgeFacts {
  readonly version: string
  readonly limits?: BridgeLimits
  /** Is it reached over the engine's HTTP port? @default true */
  readonly http?: boolean
  /** Where the client is that started this process; undefined where there is none. */
  readonly client?: StdioStreams | undefined
  /** What workers that clients write see of the host. @default no more of the environment than nothing */
  readonly host?: WorkerHost
  /** Where traces and metrics go that the settings want. @default where OpenTelemetry has them by itself */
  readonly telemetry?: TelemetryEnvironment
  /** What that client shows to say who it is. */
  readonly token?: string | undefined
}

const ENGINE_CHANGES = ['engine::functions-available', 'engine::workers-available']

/** Puts the bridge on the bus: the endpoint, and what tells it that the engine has changed. */
export function serveBridge(
  worker: Worker,
  settings: Settings<BridgeOptions>,
  log: Logger,
  { limits = BRIDGE_LIMITS, http = true, client, token, ...facts }: BridgeFacts,
): Served {
  let options = settings.value
  // Functions of ours that no other bridge process may take over lie under a prefix of our own.
  const own = `mcp::${worker.instance}`
  // Line and reason; where the file lies is nothing for a client.
  const locked = () => settings.locked && toToldReason(settings.locked.mistakes)
  const around = { worker, options: () => options, settings, timeoutMs: limits.engineTimeoutMs, log }
  const onKeys = tellKeys(log)
  const fetchDocument = createCountedFetch((outcome) => telemetry.count('iii.mcp.jwks.fetches', { outcome }))
  const outlook = http ? createOutlook(around) : NO_OUTLOOK
  const { clearance } = outlook
  const shut = () => (options.auth === undefined ? clearance.shut : undefined)
  const parts = assemble(worker, {
    ...{ host: readWorkerHost({}), telemetry: readTelemetryEnvironment({}), ...facts },
    options: () => options,
    locked,
    ...{ shut, closed: () => locked() ?? shut() },
    pending: () => (options.auth === undefined ? clearance.pending : undefined),
    ...{ via: own, limits, startsAlone: client !== undefined },
    auth: createAuthentication({ settings: () => options.auth, attachedToken: token, onKeys, fetchDocument }),
    log,
  })
  const { catalog, sessions, streams, live, tasks, management, feed, telemetry, onEngineChange, carry } = parts

  serveSettings(worker, own, { settings, http, shut })
  const serveRoutes = http ? createServedPaths(worker, parts, limits.bodyBytes) : () => undefined
  serveRoutes(options)
  const stdio = client && serveStdio({ ...carry, streams: client, log })
  if (client !== undefined && token !== undefined) tellOfToken(settings, log)
  const announcements = listenToEngine(worker, parts, { own, http, outlook, timeoutMs: limits.engineTimeoutMs })

  let greeting: Promise<unknown> = Promise.resolve()
  const greet = () => {
    if (worker.state !== 'connected') return outlook.leave()
    live.lists.forget()
    live.changes.engineChanged()
    void tasks.sweep()
    greeting = Promise.all([learn(parts, http), outlook.arrive(), feed.arrive()])
  }
  const stopWatching = worker.onStateChange(greet)
  greet()
  const stopFollowing = settings.onChange(() => {
    const before = options
    options = settings.value
    telemetry.follow()
    outlook.onSettings(before)
    if (isShownOtherwise(before, options)) live.changes.toolsChanged()
    serveRoutes(options)
    void management.recheck()
    live.changes.rulesChanged()
    onEngineChange()
  })

  return {
    ready: worker.ready().then(() => greeting.then(() => undefined)),
    done: stdio?.done,
    async close() {
      parts.health.stopping()
      stopFollowing()
      outlook.close()
      announcements.close()
      live.close()
      await Promise.all([stdio?.close(), management.close(), sessions.close(), feed.close()])
      // What a client has asked for already may need an engine that is only just there.
      stopWatching()
      catalog.close()
      tasks.close()
      await streams.close()
      // What was under way has ended by now.
      await telemetry.close()
    },
  }
}

/** What whoever is reached over HTTP has to know of networks and of other bridges. */
interface Outlook extends NeighbourWatch {
  onSettings(before: BridgeOptions): void
}

/** Of a process that one client has started. */
const NO_OUTLOOK: Outlook = {
  clearance: { shut: undefined, pending: undefined },
  arrive: async () => undefined,
  leave: () => undefined,
  look: async () => undefined,
  onEngineChange: () => undefined,
  onSettings: () => undefined,
  close: () => undefined,
}

interface OutlookOptions extends Pick<NeighbourWatchOptions, 'worker' | 'options' | 'timeoutMs' | 'log'> {
  readonly worker: Worker
  readonly settings: Pick<Settings<BridgeOptions>, 'locked'>
}

function createOutlook({ settings, ...common }: OutlookOptions): Outlook {
  const { options: rules, worker, log } = common
  const networks = createNetworkWatch({ worker, rules, addresses: readHost().addresses, log })
  const neighbours = createNeighbourWatch({ ...common, isLocked: () => settings.locked !== undefined })
  return {
    ...neighbours,
    onSettings({ apiPath }) {
      networks.look()
      void (apiPath === rules().apiPath ? neighbours.look() : neighbours.arrive())
    },
    close() {
      networks.close()
      neighbours.close()
    },
  }
}

interface EngineEvents {
  readonly own: string
  readonly http: boolean
  readonly outlook: Outlook
  readonly timeoutMs: number
}

/** Hears from the engine what changes there. */
function listenToEngine(
  worker: Worker,
  { live, sessions, onEngineChange }: Pick<ReturnType<typeof assemble>, 'live' | 'sessions' | 'onEngineChange'>,
  { own, http, outlook, timeoutMs }: EngineEvents,
) {
  listen(worker, `${own}::on-engine-change`, ENGINE_CHANGES, {}, () => {
    onEngineChange()
    outlook.onEngineChange()
  })
  for (const scope of http ? WATCHED_SCOPES : [SESSION_SCOPES.keys]) {
    const config = { scope: toScope(scope, worker.namespace) }
    listen(worker, `${own}::on-${scope.slice(4)}`, ['state'], config, (event) => sessions.observe(scope, event))
  }
  return serveLive(
    live,
    worker,
    (name, type, config, onEvent) => listen(worker, `${own}::${name}`, [type], config, onEvent),
    timeoutMs,
  )
}

/** What the engine knows and this process needs. Never rejects. */
function learn({ sessions, deadline, catalog }: ReturnType<typeof assemble>, http: boolean): Promise<unknown> {
  const lists = catalog.refresh().catch(() => undefined)
  return Promise.all([http ? sessions.load() : sessions.loadKeys(), deadline.load(), lists])
}

function tellKeys(log: Logger) {
  return (issuer: string, trouble: string | undefined) => {
    if (trouble === undefined) log.info({ issuer }, 'the keys of an issuer of tokens are read again')
    else
      log.warn(
        { issuer, reason: trouble },
        'the keys of an issuer of tokens cannot be read; until they can, those that were read within a day count, and no others',
      )
  }
}

/** Whoever shows a token counts on being held to what it may. */
function tellOfToken({ value, locked }: Settings<BridgeOptions>, log: Logger): void {
  if (locked === undefined && (value.auth?.mode ?? 'off') === 'off') log.warn(TOKEN_OF_NOBODY)
}

const TOKEN_OF_NOBODY =
  'III_MCP_TOKEN is set and changes nothing: no auth block says whose token it is, so its client has all that this bridge shows; name the file that has one with --config'

/** Has the list of tools of somebody other rows of the bridge's own than before? */
function isShownOtherwise(before: BridgeOptions, now: BridgeOptions): boolean {
  const isShownTo = (options: BridgeOptions, attached: boolean) => isShown(options, { attached, principal: EVERYBODY })
  return [true, false].some((attached) => isShownTo(before, attached) !== isShownTo(now, attached))
}

function listen(
  worker: Worker,
  id: string,
  types: readonly string[],
  config: Record<string, unknown>,
  onEvent: (event: unknown) => void,
): void {
  // The engine waits for the answer of some triggers, and for none of their results.
  worker.registerFunction(id, (event: unknown) => {
    onEvent(event)
    return {}
  })
  // A bridge without a registry is whole.
  for (const type of types) worker.registerTrigger({ type, function_id: id, config, optional: true })
}
