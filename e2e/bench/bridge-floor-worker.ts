/**
 * The least that answers as the bridge does, byte for byte, through the same engine: for a list a text that is there already,
 * for a call the call of the same function and its result in the same frame. No SDK: each reply is sent once and at once.
 */
import { argv, env } from 'node:process'
import { connectBareBus } from './bare-bus.ts'

export interface FloorRoute {
  path: string
  text?: string
  function_id?: string
  frame?: object
}

export type FloorCall = Pick<FloorRoute, 'function_id' | 'frame'>

export interface FloorPost {
  body: { id: number; params: { arguments: unknown } }
}

/** Of several floors each has a name. */
const name = env['FLOOR_NAME'] ?? ''
const bus = await connectBareBus(argv[3] ?? '')

bus.serve(`${name}::serve`, (data, reply) => {
  const { path, text, ...called } = data as FloorRoute
  const id = `${name}::${path}`
  const route = `/${name}/${path}`
  if (text === undefined) {
    bus.serve(id, (post, answer) => void call(post as FloorPost, called).then(answer), { route })
  } else {
    const ready = toResponse(text)
    bus.serve(id, (_, answer) => answer(ready), { route })
  }
  reply('{}')
})

async function call({ body: { id, params } }: FloorPost, { function_id = '', frame }: FloorCall): Promise<string> {
  const result = await bus.call(function_id, params.arguments)
  const content = [{ type: 'text', text: JSON.stringify(result) }]
  return toResponse(JSON.stringify({ jsonrpc: '2.0', id, result: { ...frame, content, structuredContent: result } }))
}

function toResponse(body: string): string {
  return JSON.stringify({ status_code: 200, headers: { 'content-type': 'application/json' }, body })
}
