import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { addressOf, authenticate } from './access/authenticate.ts'
import type { RestrictedListener } from './access/restricted-listener.ts'
import { openBusPort } from './bus/bus-port.ts'
import { attachTelemetry, attachWorker, refuseWorker } from './bus/worker-socket.ts'
import type { Session } from './bus/workers.ts'
import type { House } from './house.ts'
import { type HttpPort, openHttpPort } from './http/http-port.ts'
import type { Listening } from './listen.ts'

/** The ports of a running engine. */
export interface OpenPorts {
  readonly bus: number
  readonly http: number
  readonly httpPort: HttpPort
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
  const { options, channels, http, routes, bus, faults } = house
  try {
    const busPort = await keep(
      openBusPort({
        ...places(house),
        port: options.port,
        use: 'bus',
        onWorker: (socket, request) => attachWorker(house, socket, addressOf(request), undefined),
        onTelemetry: (socket) => attachTelemetry(house, socket),
      }),
    )
    const httpPort = await openHttpPort({ bus, channels, settings: http, faults }, routes)
    open.push(httpPort)
    http.port = httpPort.port
    const { restricted } = options
    const restrictedPort = restricted && (await keep(openRestricted(house, restricted)))
    return { bus: busPort, http: http.port, httpPort, restricted: restrictedPort, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function places({ options, channels }: House) {
  return { host: options.host, channels }
}

function openRestricted(house: House, listener: RestrictedListener): Promise<Listening> {
  const decide = async (socket: WebSocket, request: IncomingMessage, admit: (session: Session) => void) => {
    socket.pause()
    const verdict = await authenticate(house.bus, listener, request)
    socket.resume()
    if (socket.readyState !== socket.OPEN) return
    if ('code' in verdict) refuseWorker(socket, verdict)
    else admit(verdict)
  }
  return openBusPort({
    ...places(house),
    port: listener.port ?? 0,
    use: 'restricted bus',
    onWorker: (socket, request) =>
      void decide(socket, request, (session) => attachWorker(house, socket, addressOf(request), session)),
    onTelemetry: (socket, request) => void decide(socket, request, () => attachTelemetry(house, socket)),
  })
}
