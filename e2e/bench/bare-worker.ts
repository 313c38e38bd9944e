/** A worker without any SDK: one function that returns what it got. */
import { argv } from 'node:process'
import { WebSocket } from 'ws'

const socket = new WebSocket(argv[3] ?? '', { perMessageDeflate: false })
socket.on('open', () => socket.send(JSON.stringify({ type: 'registerfunction', id: 'bare::echo' })))
socket.on('message', (data) => {
  const { type, invocation_id, function_id, data: result } = JSON.parse(String(data)) as Record<string, unknown>
  if (type === 'invokefunction')
    socket.send(JSON.stringify({ type: 'invocationresult', invocation_id, function_id, result }))
})
