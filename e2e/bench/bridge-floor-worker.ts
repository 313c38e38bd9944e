/**
 * The least that answers as the bridge does, byte for byte, through the same engine: for a list a text that is there already,
 * for a call the call of the same function and its result in the same frame.
 */
import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import { z } from 'zod'

const headers = { 'content-type': 'application/json' }
const Route = z.object({
  path: z.string(),
  text: z.string().optional(),
  function_id: z.string().optional(),
  frame: z.unknown().optional(),
})

interface Post {
  body: { id: number; params: { arguments: unknown } }
}

await runWorker({
  name: 'bridge-floor',
  version: '0.0.0',
  description: 'Answers as the bridge does, with nothing behind it',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    const call = async ({ body: { id, params } }: Post, function_id: string, frame: unknown) => {
      const result = await worker.trigger({ function_id, payload: params.arguments })
      const content = [{ type: 'text', text: JSON.stringify(result, undefined, 2) }]
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { ...(frame as object), content, structuredContent: result },
      })
      return { status_code: 200, headers, body }
    }
    worker.registerFunction(
      'bridge_floor::serve',
      ({ path, text, function_id = '', frame }) => {
        const id = `bridge_floor::${path}`
        worker.registerFunction(id, (post: Post) => {
          return text === undefined ? call(post, function_id, frame) : { status_code: 200, headers, body: text }
        })
        worker.registerTrigger({
          type: 'http',
          function_id: id,
          config: { api_path: `/floor/${path}`, http_method: 'POST' },
        })
        return {}
      },
      { request_format: Route, metadata: { 'mcp.expose': false } },
    )
    return undefined
  },
})
