import { dirname, resolve } from 'node:path'
import { type Logger, readHost, type Served, type Settings, type Worker } from '@iii/sdk'
import { assemble, type Surroundings } from './assemble.ts'
import { readServers } from './configuration/read-servers.ts'
import { watchConflicts } from './conflict/watch.ts'
import type { Options } from './options.ts'
import { STATUS_ID, serveFunctions } from './servers/worker-functions.ts'

/**
 * Runs the servers of the file and puts their tools on the bus. Nothing is waited for: the servers start when it is known that no earlier
 * process of this worker serves.
 */
export function serveMcpServers(
  worker: Worker,
  settings: Settings<Options>,
  log: Logger,
  surroundings: Surroundings,
): Served {
  const folder = settings.file === undefined ? readHost().cwd : dirname(settings.file)
  const { servers, conflicts, pins, calls } = assemble({
    ...{ ...surroundings, worker, log },
    pinsPath: resolve(folder, settings.value.pins),
  })
  function takeOver(): void {
    const entries = readServers(settings.value.servers, { folder, lineOf: settings.lineOf })
    // Of a file that cannot be used nobody knows what is in it.
    if (entries.length === 0 && settings.locked === undefined)
      log.warn({ file: settings.file }, toNoServers(settings.file))
    servers.apply(entries)
  }
  takeOver()
  const stops = [settings.onChange(takeOver), pins.onChange(servers.judge)]
  serveFunctions(worker, servers)
  stops.push(watchConflicts({ worker, conflicts, servers, log }))

  /** An earlier process goes on as long as it is there: two of them would run every server twice. */
  function decide(): void {
    const { lost, state } = worker.ownership
    if (state === 'returning') return
    // Whoever has another function of ours has taken a name, not the place of this process.
    const isServing = settings.locked === undefined && !lost.includes(STATUS_ID)
    if (isServing) worker.claim()
    servers.allow(isServing)
  }

  const listen = () => {
    decide()
    stops.push(worker.onOwnershipChange(decide), settings.onChange(decide))
  }
  // A worker that is shut down before it was ready has nothing to decide.
  worker.ready().then(listen, () => undefined)
  return {
    async close() {
      for (const stop of stops) stop()
      await servers.close()
      await calls.close()
    },
  }
}

function toNoServers(file: string | undefined): string {
  return file === undefined
    ? 'no configuration file is named, so there are no MCP servers: start it with --config FILE'
    : `no MCP servers are in ${file}: name them under \`servers:\``
}
