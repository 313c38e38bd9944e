/**
 * The least on our SDK that answers as the bridge does, byte for byte: it tells the function who asks, and the SDK says each reply as it
 * promises. No check, no limit, no deadline of its own and no line of a log.
 */
import { randomUUID } from 'node:crypto'
import { argv, env } from 'node:process'
import { runWorker, type Worker } from '@iii/sdk'
import type { FloorCall, FloorPost, FloorRoute } from './bridge-floor-worker.ts'

/** Of several floors each has a name. */
const name = env['FLOOR_NAME'] ?? ''

await runWorker({
  name,
  version: '0.0.0',
  description: 'Answers as a bridge does, and checks nothing',
  argv: argv.slice(2),
  env,
  options: {},
  worker: { followsTraces: false },
  serve(worker) {
    worker.registerFunction(`${name}::serve`, ({ path, text, ...called }: FloorRoute) => {
      const ready = text === undefined ? undefined : toReply(text)
      const function_id = `${name}::${path}`
      worker.registerFunction(function_id, (post: FloorPost) => ready ?? call(worker, post, called))
      const config = { api_path: `/${name}/${path}`, http_method: 'POST' }
      worker.registerTrigger({ type: 'http', function_id, config })
      return {}
    })
    return undefined
  },
})

/** What a bridge tells a function of a client, beside the id of the call. */
const SIDECAR = { via: 'mcp::via::00000000', client: { name: 'bench', version: '0.0.0' }, client_capabilities: {} }

async function call(worker: Worker, { body: { id, params } }: FloorPost, { function_id = '', frame }: FloorCall) {
  const metadata = { mcp: { call_id: randomUUID(), ...SIDECAR } }
  const result = await worker.trigger({ function_id, payload: params.arguments, metadata })
  const content = [{ type: 'text', text: JSON.stringify(result) }]
  return toReply(JSON.stringify({ jsonrpc: '2.0', id, result: { ...frame, content, structuredContent: result } }))
}

function toReply(body: string) {
  return { status_code: 200, headers: { 'content-type': 'application/json' }, body }
}
