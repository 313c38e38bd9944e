import { announceChange, type Logger, type Worker } from '@iii/sdk'
import { startProcessGroup } from '@iii/sdk/process-group'
import { type CallTelling, serveCallTelling } from './calls/call-feed.ts'
import { runOperation } from './calls/operation-call.ts'
import { callServerTool } from './calls/tool-call.ts'
import { OPERATION_KEY } from './catalog/operation-functions.ts'
import { type Clock, processClock } from './clock.ts'
import { readEnvironment } from './configuration/environment.ts'
import { findHidden } from './configuration/secret-look.ts'
import { type Conflicts, createConflicts } from './conflict/find-conflicts.ts'
import { ServerFailure } from './diagnostics/diagnostic.ts'
import { type FunctionHandler, offerFunction } from './functions/offer.ts'
import { createPins, type Pins } from './pins/pins.ts'
import { createSecretFilter } from './redaction/secret-filter.ts'
import type { ServerStarter } from './servers/connection.ts'
import type { Server } from './servers/server.ts'
import { createServers, type Servers } from './servers/servers.ts'
import type { ClientInfo } from './session/protocol-client.ts'

/** Where this worker runs, and what of that servers may be handed. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly client: ClientInfo
  readonly clock?: Clock | undefined
}

/** How processes of servers are started here. */
export function createStarter({ env, platform, client, clock = processClock }: Surroundings): ServerStarter {
  return {
    clock,
    client,
    async prepare({ environment, args }) {
      const made = await readEnvironment(environment, { env, platform })
      if ('problem' in made) throw new ServerFailure(made.problem.code, made.problem.message, made.problem.subject)
      return { variables: made.variables, filter: createSecretFilter([...made.secrets, ...findHidden(args)]) }
    },
    spawn: ({ command, args, cwd }, variables) => startProcessGroup({ command, args, cwd, env: variables }),
  }
}

export interface AssembleParts extends Surroundings {
  readonly worker: Worker
  /** Absolute path. */
  readonly pinsPath: string
  readonly log: Logger
}

export interface Assembled {
  readonly servers: Servers
  readonly conflicts: Conflicts
  readonly pins: Pins
  readonly calls: CallTelling
}

/** What the worker is made of. */
export function assemble(parts: AssembleParts): Assembled {
  const { worker, log, pinsPath } = parts
  const conflicts = createConflicts(worker)
  const pins = createPins({ path: pinsPath, log })
  const calls = serveCallTelling(worker, log)
  const handle =
    (server: Server): FunctionHandler =>
    (fn, input, mcp) =>
      calls.tell(fn, input, mcp, () =>
        (OPERATION_KEY in fn.metadata ? runOperation : callServerTool)(server, fn, input, mcp),
      )
  const servers = createServers({
    ...{ starter: createStarter(parts), pins, log, findConflict: conflicts.find },
    offer: (server, first) => offerFunction(worker, first, handle(server)),
    onFunctions: createAnnouncement(worker),
  })
  return { servers, conflicts, pins, calls }
}

/** What comes together is announced once. */
function createAnnouncement(worker: Worker): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setImmediate(() => {
      isWaiting = false
      announceChange(worker, { kind: 'tools' })
    })
  }
}
