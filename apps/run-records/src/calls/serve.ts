import { MCP_CLIENT_ON_CALL, MCP_ON_CALL } from '@iii/protocol'
import type { Registration, Settings, Worker } from '@iii/sdk'
import { z } from 'zod'
import type { Options } from '../options.ts'
import type { CallRecorder } from './call-log.ts'

const HEAR = 'runs::on-call'

/** Listens to the bridges, as long as calls are to be kept. */
export function serveCalls(worker: Worker, settings: Settings<Options>, calls: CallRecorder): void {
  worker.registerFunction(
    HEAR,
    (batch) => {
      calls.hear(batch)
      return {}
    },
    {
      description: 'Hears from bridges which calls clients have made, for the records.',
      request_format: { type: 'object' },
      response_format: z.object({}),
      metadata: { internal: true, 'mcp.expose': false },
    },
  )
  let bindings: Registration[] = []
  const update = () => {
    const { recordCalls } = settings.value
    if (recordCalls === bindings.length > 0) return
    for (const binding of bindings) binding.unregister()
    bindings = recordCalls ? bind(worker) : []
  }
  update()
  settings.onChange(update)
}

/** Calls are recorded of those that are there, so neither has to be. */
function bind(worker: Worker): Registration[] {
  return [MCP_ON_CALL, MCP_CLIENT_ON_CALL].map((type) =>
    worker.registerTrigger({ type, function_id: HEAR, config: { inputs: true }, optional: true }),
  )
}
