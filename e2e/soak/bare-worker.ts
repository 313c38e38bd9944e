/** A worker without an SDK: it says each reply once and at once, and comes again when its connection is lost. `bare-worker.ts --url URL` */
import { argv } from 'node:process'
import { WebSocket } from 'ws'

const AGAIN_MS = 500
const FUNCTIONS = ['bare::echo', 'bare::there']

function connect(url: string): void {
  const socket = new WebSocket(url)
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  socket.on('error', () => undefined)
  socket.on('close', () => setTimeout(connect, AGAIN_MS, url))
  socket.on('open', () => {
    for (const id of FUNCTIONS) send({ type: 'registerfunction', id })
    // Engine 0.23 holds everything back until it knows whose it is.
    send({ type: 'invokefunction', function_id: 'engine::workers::register', data: { name: 'bare' } })
  })
  socket.on('message', (text) => {
    const { type, function_id, invocation_id, data } = JSON.parse(String(text))
    if (type === 'invokefunction' && invocation_id) {
      send({ type: 'invocationresult', invocation_id, function_id, result: data })
    }
  })
}

connect(argv[3] ?? '')
