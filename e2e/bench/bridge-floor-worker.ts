/**
 * The least that answers as the bridge does, byte for byte, through the same engine: for a list a text that is there already,
 * for a call the call of the same function and its result in the same frame. No SDK: each reply is sent once and at once, unless a route
 * wants what the bridge promises: a sidecar with each call, and each reply twice.
 */
import { randomUUID } from 'node:crypto'
import { argv } from 'node:process'
import { connectBareBus } from './bare-bus.ts'

interface Route {
  path: string
  text?: string
  function_id?: string
  frame?: object
  sidecar?: object
  repeats?: boolean
}

type Called = Pick<Route, 'function_id' | 'frame' | 'sidecar'>

interface Post {
  body: { id: number; params: { arguments: unknown } }
}

/** Of several floors each has a name. */
const [, , , url = '', name = ''] = argv
const bus = await connectBareBus(url)

bus.serve(`${name}::serve`, (data, reply) => {
  const { path, text, repeats = false, ...called } = data as Route
  const id = `${name}::${path}`
  const route = `/${name}/${path}`
  if (text === undefined) {
    bus.serve(id, (post, answer) => void call(post as Post, called).then(answer), { route, repeats })
  } else {
    const ready = toResponse(text)
    bus.serve(id, (_, answer) => answer(ready), { route, repeats })
  }
  reply('{}')
})

async function call({ body: { id, params } }: Post, { function_id = '', frame, sidecar }: Called): Promise<string> {
  const metadata = sidecar && { mcp: { call_id: randomUUID(), ...sidecar } }
  const result = await bus.call(function_id, params.arguments, metadata)
  const content = [{ type: 'text', text: JSON.stringify(result) }]
  return toResponse(JSON.stringify({ jsonrpc: '2.0', id, result: { ...frame, content, structuredContent: result } }))
}

function toResponse(body: string): string {
  return JSON.stringify({ status_code: 200, headers: { 'content-type': 'application/json' }, body })
}
