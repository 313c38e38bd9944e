import { connect, createServer } from 'node:net'

const HOST = '127.0.0.1'

/** Whether somebody listens on this loopback port already. Port 0 means "any free one" and never is taken. */
export async function isTaken(port: number): Promise<boolean> {
  return port !== 0 && ((await answers(port)) || !(await canListen(port)))
}

/** Some systems let two programs listen on one port under different addresses: whoever answers there owns it. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })
}
