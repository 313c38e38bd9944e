import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { greet, startScriptedEngine } from '../testing/scripted-engine.ts'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { CONNECTION_TIMINGS } from './connection.ts'

/** A port where nobody listens, for the time being. */
async function freePort(): Promise<number> {
  await using engine = await startScriptedEngine()
  return engine.port
}

describe('connecting', () => {
  it('says its functions and who we are, waits for the answer, then says what is built on them', async () => {
    await using engine = await startScriptedEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', description: 'Keeps orders', version: '1.2.3' })
    worker.registerTrigger({ type: 'cron', function_id: 'a::b', config: { expression: '@daily' } })
    worker.registerFunction('a::b', () => null)
    worker.registerTriggerType(
      { id: 'a::changed' },
      { registerTrigger: () => undefined, unregisterTrigger: () => undefined },
    )
    const early = worker.trigger({ function_id: 'x::y', payload: { n: 1 } })
    const peer = await engine.nextPeer()
    await worker.ready()

    expect(peer.frames.map(({ type, id, function_id }) => [type, id ?? function_id])).toEqual([
      ['registerfunction', 'a::b'],
      ['invokefunction', 'engine::workers::register'],
      ['registertriggertype', 'a::changed'],
      ['registertrigger', expect.any(String)],
      ['invokefunction', 'x::y'],
      ['ping', undefined],
    ])
    expect(peer.frames[1]).toMatchObject({
      invocation_id: expect.any(String),
      data: { runtime: 'node', name: 'orders', description: 'Keeps orders', version: '1.2.3', pid: process.pid },
    })
    peer.send({ type: 'invocationresult', invocation_id: String(peer.frames[4]?.['invocation_id']), result: 2 })
    await expect(early).resolves.toBe(2)
  })

  it('offers no compression and sends the given headers', async () => {
    await using stage = await startScriptedStage({ headers: { authorization: 'Bearer t' } })
    expect(stage.peer.headers['authorization']).toBe('Bearer t')
    expect(stage.peer.headers['sec-websocket-extensions']).toBeUndefined()
  })

  it('keeps trying an engine that is not there, says so once, and says when it is there', async () => {
    const port = await freePort()
    const log = createRecordedLog()
    await using worker = registerWorker(`ws://127.0.0.1:${port}`, { log, timings: { retryMs: 40 } })
    await vi.waitFor(() => expect(log.lines.length).toBe(1))
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      message: `the engine cannot be reached; trying again until it answers. Nothing listens there: start the engine, or one for development with npx @iii/mock-engine --port ${port}`,
      fields: { url: `ws://127.0.0.1:${port}`, reason: expect.stringContaining('ECONNREFUSED') },
    })
    await using _engine = await startScriptedEngine({ port })
    await worker.ready({ timeoutMs: 5_000 })
    expect(log.messages('warn')).toHaveLength(1)
    expect(log.messages('info')).toEqual(['connected to the engine'])
  })

  it('says what may be wrong with an address where something else answers', async () => {
    const log = createRecordedLog()
    const server = createHttpServer((_request, response) => response.writeHead(404).end())
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await using _other = registerWorker(`ws://127.0.0.1:${port}`, { log })
    await vi.waitFor(() => expect(log.messages('warn')[0]).toMatch(/no engine, or it is its HTTP port: .* 49134 /))
    await using engine = await startScriptedEngine()
    await using _secure = registerWorker(engine.url.replace('ws:', 'wss:'), { log })
    await vi.waitFor(() =>
      expect(log.lines[1]?.fields).toMatchObject({ reason: expect.stringContaining('write ws://') }),
    )
    expect(JSON.stringify(log.lines)).not.toContain('openssl')
    server.close()
  })

  it('tries again at least once a second, for as long as it runs', async () => {
    const tries: number[] = []
    const nobody = createServer((socket) => {
      tries.push(performance.now())
      socket.destroy()
    })
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
    const { port } = nobody.address() as AddressInfo
    await using _worker = registerWorker(`ws://127.0.0.1:${port}`, { log: createRecordedLog() })
    await vi.waitFor(() => expect(tries.length).toBeGreaterThanOrEqual(6), 10_000)
    nobody.close()
    const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    // A busy machine may delay some of them.
    expect(gaps.sort((a, b) => a - b)[1]).toBeLessThan(1_000)
    expect(CONNECTION_TIMINGS.retryMs).toBeLessThan(1_000)
  })

  it('gives up on a server that does not greet, and tries again', async () => {
    await using engine = await startScriptedEngine({ greeting: (n) => (n === 1 ? undefined : greet(n)) })
    await using worker = registerWorker(engine.url, {
      timings: { connectTimeoutMs: 50, retryMs: 20 },
      log: createRecordedLog(),
    })
    await worker.ready({ timeoutMs: 5_000 })
    expect(engine.peers).toHaveLength(2)
  })

  it('says of a server that takes the connection and is silent that it did not answer', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const url = `ws://127.0.0.1:${port}`
    const log = createRecordedLog()
    await using worker = registerWorker(url, { log, timings: { connectTimeoutMs: 50, retryMs: 20 } })
    await vi.waitFor(() => expect(log.messages('warn')).toHaveLength(1), 5_000)
    expect(log.lines[0]?.fields).toEqual({ url, reason: 'it did not answer within 0.05 s' })
    await expect(worker.ready({ timeoutMs: 1 })).rejects.toThrow('(it did not answer within 0.05 s)')
    silent.close()
  })

  it('reports once that the engine refuses it, and loses no call to the refused socket', async () => {
    const refusal = { type: 'error', error: { code: 'AUTH_ERROR', message: 'bad token' } }
    await using engine = await startScriptedEngine({ greeting: (n) => (n < 4 ? refusal : greet(n)) })
    const log = createRecordedLog()
    await using worker = registerWorker(engine.url, { log, timings: { refusedRetryMs: 5, maxRefusedRetryMs: 20 } })
    const call = worker.trigger({ function_id: 'x::y' })
    for (let refused = 0; refused < 3; refused++) (await engine.nextPeer()).cut()
    const peer = await engine.nextPeer()
    const { invocation_id } = await peer.next('invokefunction', ({ function_id }) => function_id === 'x::y')
    peer.send({ type: 'invocationresult', invocation_id, result: 'late' })
    await expect(call).resolves.toBe('late')
    expect(log.messages('error')).toEqual(['the engine refused this worker; trying again'])
    expect(log.lines[0]?.fields['reason']).toBe('bad token (AUTH_ERROR)')
    expect(engine.peers.slice(0, 3).flatMap(({ frames }) => frames)).toEqual([])
  })
})

describe('losing the connection', () => {
  it('comes back within half a second, asks for the old connection to be forgotten, and says everything again', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => 'here')
    await stage.worker.ready()
    const cutAt = performance.now()
    stage.peer.cut()
    const peer = await stage.engine.nextPeer()
    expect(performance.now() - cutAt).toBeLessThan(2_500)
    await stage.worker.ready()
    expect(peer.frames.slice(0, 2)).toMatchObject([
      { type: 'reattach', previous_worker_id: 'worker-1', reattach_token: 'token-1' },
      { type: 'registerfunction', id: 'a::b' },
    ])
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 'here' })
    expect(stage.worker.workerId).toBe('worker-2')
    expect(stage.log.messages('warn')).toEqual(['the connection to the engine was lost; trying again until it answers'])
    expect(stage.log.messages('info')).toEqual(['connected to the engine again'])
  })

  it('tells its states to those who listen', async () => {
    await using stage = await startScriptedStage()
    const states: string[] = []
    const stop = stage.worker.onStateChange((state) => states.push(state))
    stage.peer.cut()
    await stage.engine.nextPeer()
    await stage.worker.ready()
    await stage.worker.shutdown()
    stop()
    expect(states).toEqual(['connecting', 'connected', 'closed'])
  })

  it('notices a peer that has fallen silent', async () => {
    await using stage = await startScriptedStage({ timings: { pingEveryMs: 20, deadAfterMs: 60 } })
    await vi.waitFor(() => expect(stage.peer.pings).toBeGreaterThan(3))
    expect(stage.worker.state).toBe('connected')
    stage.peer.freeze()
    const next = await stage.engine.nextPeer()
    await stage.worker.ready()
    expect(next.frames[0]?.type).toBe('reattach')
    expect(stage.log.lines.find(({ level }) => level === 'warn')?.fields['reason']).toBe(
      'nothing came from the engine for 60 ms',
    )
  })

  it('drops a connection over which more comes than it bears, and comes back', async () => {
    await using stage = await startScriptedStage({ maxMessageBytes: 1000 })
    stage.peer.send({ type: 'pong', padding: 'x'.repeat(2000) })
    await stage.engine.nextPeer()
    await stage.worker.ready()
    expect(stage.log.lines.find(({ level }) => level === 'warn')?.fields['reason']).toBe('Max payload size exceeded')
  })

  it('connects no more after a shutdown', async () => {
    await using engine = await startScriptedEngine()
    const worker = registerWorker(engine.url, { timings: { firstRetryMs: 5, retryMs: 5 }, log: createRecordedLog() })
    const peer = await engine.nextPeer()
    await worker.ready()
    await worker.shutdown()
    await peer.closed
    await expect(worker.ready()).rejects.toThrow('The worker was shut down')
    await expect(worker.trigger({ function_id: 'a::b' })).rejects.toMatchObject({ code: 'closed' })
    expect(engine.peers).toHaveLength(1)
    expect(worker.state).toBe('closed')
  })
})

describe('acknowledging what was read', () => {
  it('sends a pong after a read that set off nothing, while calls are pending', async () => {
    await using stage = await startScriptedStage()
    const calls = [1, 2, 3].map((n) => stage.worker.trigger({ function_id: 'x::y', payload: { n } }))
    const frames = [await stage.peer.next('invokefunction'), await stage.peer.next('invokefunction')]
    frames.push(await stage.peer.next('invokefunction'))
    const [first, ...others] = frames.filter(({ function_id }) => function_id === 'x::y')
    expect(stage.peer.pongs).toBe(0)
    stage.peer.send({ type: 'invocationresult', invocation_id: first?.['invocation_id'], result: 1 })
    await vi.waitFor(() => expect(stage.peer.pongs).toBe(1))
    for (const { invocation_id } of [...others, await stage.peer.next('invokefunction')]) {
      stage.peer.send({ type: 'invocationresult', invocation_id, result: 1 })
    }
    await Promise.all(calls)
  })

  it('sends none when nothing more is expected', async () => {
    await using stage = await startScriptedStage()
    const call = stage.worker.trigger({ function_id: 'x::y' })
    await stage.peer.next('invokefunction')
    const { invocation_id } = await stage.peer.next('invokefunction')
    stage.peer.send({ type: 'invocationresult', invocation_id, result: 1 })
    await call
    await stage.worker.ready()
    expect(stage.peer.pongs).toBe(0)
  })
})
