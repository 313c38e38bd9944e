import { connect } from 'node:net'

const MAX_ADDRESSES = 16
const KNOCK_MS = 1_000

/** Of these addresses those at which a port takes connections. At most 16 are tried, each for a second. */
export async function findOpenAddresses(addresses: readonly string[], port: number): Promise<string[]> {
  const answers = await Promise.all(addresses.slice(0, MAX_ADDRESSES).map((address) => knock(address, port)))
  return addresses.filter((_, at) => answers[at] === true)
}

function knock(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: KNOCK_MS })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
    socket.on('timeout', () => end(false))
  })
}
