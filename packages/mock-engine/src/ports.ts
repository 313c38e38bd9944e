import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { addressOf, authenticate, type RestrictedListener } from './access/authenticate.ts'
import { openBusPort } from './bus/bus-port.ts'
import { attachWorker, refuseWorker } from './bus/worker-socket.ts'
import type { House } from './house.ts'
import { openHttpPort } from './http/http-port.ts'
import type { Listening } from './listen.ts'

/** The ports of a running engine. */
export interface OpenPorts {
  readonly bus: number
  readonly http: number
  readonly restricted: number | undefined
  /** Frees them all and cuts every connection. */
  stop(): Promise<void>
}

/** Opens every port of an engine, or none. @throws PortTakenError */
export async function openPorts(house: House): Promise<OpenPorts> {
  const open: Listening[] = []
  const keep = async (listening: Promise<Listening>) => {
    open.push(await listening)
    return open.at(-1)?.port ?? 0
  }
  const stop = async () => {
    await Promise.all(open.map((listening) => listening.stop()))
  }
  const { options, channels, http, routes, bus } = house
  try {
    const busPort = await keep(
      openBusPort({ ...places(house), port: options.port, use: 'bus', onWorker: welcome(house) }),
    )
    http.port = await keep(openHttpPort({ bus, channels, settings: http }, routes))
    const { restricted } = options
    const restrictedPort = restricted && (await keep(openRestricted(house, restricted)))
    return { bus: busPort, http: http.port, restricted: restrictedPort, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function places({ options, channels }: House) {
  return { host: options.host, channels }
}

function welcome({ bus, tap }: House) {
  return (socket: WebSocket, request: IncomingMessage) => attachWorker(bus, socket, addressOf(request), undefined, tap)
}

function openRestricted(house: House, listener: RestrictedListener): Promise<Listening> {
  const { bus, tap } = house
  const decide = async (socket: WebSocket, request: IncomingMessage) => {
    socket.pause()
    const verdict = await authenticate(bus, listener, request)
    socket.resume()
    if (socket.readyState !== socket.OPEN) return
    if ('code' in verdict) refuseWorker(socket, verdict)
    else attachWorker(bus, socket, addressOf(request), verdict, tap)
  }
  return openBusPort({
    ...places(house),
    port: listener.port ?? 0,
    use: 'restricted bus',
    onWorker: (socket, request) => void decide(socket, request),
  })
}
