import { createServer } from 'node:http'
import { startMockEngine } from '@iii/mock-engine'
import type { Arena, Bench, Scene } from './arena.ts'
import { connectEchoCaller, connectFrameCaller } from './bare-caller.ts'
import { createHttpCaller } from './http-caller.ts'
import { PAYLOAD } from './payload.ts'

const bus: Bench = {
  title: 'engine, bus: worker → engine → worker and back, beside two chained bare WebSocket echoes',
  async open(arena) {
    await arena.startWorker('bare-worker.ts', 'bare::echo')
    await arena.startWorker('floor-worker.ts', 'floor::echo')
    const { engineUrl, worker } = arena.stack
    const frame = { type: 'invokefunction', invocation_id: crypto.randomUUID(), function_id: 'x::echo', data: PAYLOAD }
    const echoes = arena.use(await connectEchoCaller(await startEchoes(arena), JSON.stringify(frame)))
    const frames = arena.use(await connectFrameCaller(engineUrl, 'bare::echo', PAYLOAD))
    return [
      { name: 'two chained echoes', run: echoes.run },
      { name: 'the engine, bare frames', run: frames.run },
      { name: 'the engine, @iii/sdk', run: () => worker.trigger({ function_id: 'floor::echo', payload: PAYLOAD }) },
    ]
  },
}

const http: Bench = {
  title: 'engine, HTTP: HTTP → worker → HTTP, beside a bare Node HTTP server',
  async open(arena) {
    await arena.startWorker('bare-worker.ts', 'bare::fill')
    return [
      { name: 'bare HTTP server', run: createHttpCaller(await arena.startHttpFloor(), PAYLOAD) },
      { name: 'HTTP route of the engine', run: createHttpCaller(`${arena.stack.httpUrl}/bare`, PAYLOAD) },
    ]
  },
}

const lifetime: Bench = {
  title: 'engine, lifetime: start and stop in this process, beside a bare HTTP server with nothing in it',
  inFlight: [1],
  async open() {
    return [
      { name: 'bare HTTP server', run: startAndStopServer },
      { name: 'the engine', run: startAndStopEngine },
    ]
  },
}

export const engineScenes: readonly Scene[] = [
  { benches: [bus, http] },
  { needsOwnEngine: 'it starts embedded engines', benches: [lifetime] },
]

async function startEchoes(arena: Arena): Promise<string> {
  const entry = new URL('bare-echo.ts', import.meta.url)
  const listening = /echo at (ws:\S+)/
  const [, far = ''] = await arena.start({ name: 'echo', entry }).line(listening)
  const [, near = ''] = await arena.start({ name: 'relay', entry, args: ['--through', far] }).line(listening)
  return near
}

async function startAndStopEngine(): Promise<void> {
  const engine = await startMockEngine()
  await engine.close()
}

function startAndStopServer(): Promise<void> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => server.close(() => resolve()))
  })
}
