/** A WebSocket server that sends back what it gets; with `--through URL` by way of another one. */
import { argv, stdout } from 'node:process'
import { WebSocket, WebSocketServer } from 'ws'

const next = argv[2] === '--through' ? argv[3] : undefined
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  if (next === undefined) socket.on('message', (data, binary) => socket.send(data, { binary }))
  else relay(socket, new WebSocket(next, { perMessageDeflate: false }))
})
server.on('listening', () => stdout.write(`echo at ws://127.0.0.1:${(server.address() as { port: number }).port}\n`))

function relay(socket: WebSocket, far: WebSocket): void {
  const opened = new Promise((resolve) => far.once('open', resolve))
  socket.on('message', (data, binary) => void opened.then(() => far.send(data, { binary })))
  far.on('message', (data, binary) => socket.send(data, { binary }))
  socket.on('close', () => far.close())
}
