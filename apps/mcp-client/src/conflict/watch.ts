import type { Logger, Worker } from '@iii/sdk'
import type { Servers } from '../servers/servers.ts'
import type { Conflicts } from './find-conflicts.ts'

export interface ConflictWatch {
  readonly worker: Pick<Worker, 'registerFunction' | 'registerTrigger' | 'instance'>
  readonly conflicts: Pick<Conflicts, 'findAll'>
  readonly servers: Pick<Servers, 'names' | 'setConflicts'>
  readonly log: Logger
}

/** A worker registers its functions a moment after it came. */
const SETTLE_MS = 300
const GAP_MS = 1_000
const NAMESPACE = 'mcp-client'

/** Looks who has functions under the names of our servers, whenever workers or functions come or go. Returns how to stop. */
export function watchConflicts({ worker, conflicts, servers, log }: ConflictWatch): () => void {
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isOwed = false
  let isStopped = false

  async function look(): Promise<void> {
    timer = undefined
    isLooking = true
    try {
      if (servers.names.length > 0) servers.setConflicts(await conflicts.findAll(servers.names))
    } catch (error) {
      log.debug({ reason: String(error) }, 'the engine did not tell whose the functions are')
    }
    isLooking = false
    if (isOwed) plan(GAP_MS)
    isOwed = false
  }

  function plan(ms: number): void {
    if (isStopped || timer !== undefined) return
    if (isLooking) isOwed = true
    else timer = setTimeout(() => void look(), ms).unref()
  }

  const id = `${NAMESPACE}::on-workers::${worker.instance}`
  worker.registerFunction(
    id,
    () => {
      plan(SETTLE_MS)
      return {}
    },
    { description: 'Hears that workers and functions come and go.', metadata: { internal: true, 'mcp.expose': false } },
  )
  worker.registerTrigger({ type: 'engine::workers-available', function_id: id })
  worker.registerTrigger({ type: 'engine::functions-available', function_id: id })
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
