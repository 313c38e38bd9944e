import { connect } from 'node:net'

const REACH_DEADLINE_MS = 3000

/** Why nothing listens there. The engine client tries again and again, which is no use to somebody who mistyped a port. */
export function knock(engineUrl: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(engineUrl)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'wss:' ? 443 : 80)),
      timeout: REACH_DEADLINE_MS,
    })
    const settle = (problem: string | undefined) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => settle(undefined))
    socket.once('timeout', () => settle(`no answer within ${REACH_DEADLINE_MS / 1000} seconds`))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(explainConnect(error)))
  })
}

/** What a failed connection means. */
export function explainConnect({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND') return 'there is no host of that name'
  return message || String(code)
}
