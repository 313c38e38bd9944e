/** The least a worker can do: one function that returns what it got, by our SDK, and one behind an HTTP route. */
import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'

await runWorker({
  name: 'floor',
  version: '0.0.0',
  description: 'Answers at once',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    worker.registerFunction('floor::echo', (payload) => payload, { metadata: { 'mcp.expose': true } })
    worker.registerFunction('floor::http', () => ({ status_code: 200, body: { ok: true } }))
    worker.registerTrigger({
      type: 'http',
      function_id: 'floor::http',
      config: { api_path: '/floor', http_method: 'POST' },
    })
    return undefined
  },
})
