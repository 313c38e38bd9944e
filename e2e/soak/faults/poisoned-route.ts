import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { needsOwnEngine, requirePower, type SoakFault } from '../fault.ts'

const STAYS_MS = 8_000

/** A worker registers a path that the router of engine 0.22 cannot take: no route can be registered any more until it is started anew. */
export const poisonedRoute: SoakFault = {
  name: 'a path that breaks the router of the engine, which is restarted then',
  lacks: needsOwnEngine,
  async strike({ stage, kept }) {
    const power = requirePower(stage)
    const socket = new WebSocket(stage.engine.url)
    socket.on('error', () => undefined)
    await once(socket, 'open')
    const send = (frame: object) => socket.send(JSON.stringify(frame))
    send({ type: 'registerfunction', id: 'poison::get' })
    send({ type: 'invokefunction', function_id: 'engine::workers::register', data: {} })
    const config = { api_path: 'poison/{}', http_method: 'GET' }
    send({ type: 'registertrigger', id: randomUUID(), trigger_type: 'http', function_id: 'poison::get', config })
    await pause(STAYS_MS)
    socket.terminate()
    const since = performance.now() - power.notSavedMs
    await power.end('SIGKILL')
    for (const model of kept) model.forget(since)
    await power.start()
  },
}
