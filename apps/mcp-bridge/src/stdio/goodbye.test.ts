import { PassThrough, Writable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { TestMethod } from '../testing/method-table.ts'
import { type StdioStage, startStdioStage } from '../testing/stdio-stage.ts'
import { untilAnswer } from '../testing/until.ts'

const STOPPING = 'This server is stopping. The outcome of the call is unknown.'

const open: StdioStage[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ server }) => server.close()))
})

function serve(methods: Readonly<Record<string, TestMethod>>): StdioStage {
  const stage = startStdioStage(methods)
  open.push(stage)
  return stage
}

/** Waits until nobody wants the reply any more. */
const untilGivenUp: TestMethod = (_, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))

describe('the end', () => {
  it('comes with the end of stdin; what came right before it is answered, and what takes too long with what is known', async () => {
    let finish: (() => void) | undefined
    const given: string[] = []
    const client = serve({
      soon: () => new Promise<void>((resolve) => (finish = resolve)),
      hang: (params, call) => {
        call.signal.addEventListener('abort', () => given.push((call.signal.reason as Error).message))
        return untilGivenUp(params, call)
      },
    })
    client.send({ id: 1, method: 'soon' })
    client.send({ id: 2, method: 'hang' })
    client.end()
    await client.server.done
    const closed = client.server.close()
    finish?.()
    await closed
    expect(client.messages).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: STOPPING } },
    ])
    expect(given).toEqual([STOPPING])
  })

  it.each([
    ['is answered also without a line end', '{"jsonrpc":"2.0","id":2,"method":"ping"}', [1, 2]],
    ['is nothing where it was broken off', '{"jsonrpc":"2.0","id":2,"method":"pi', [1]],
    ['is nothing where it is too long', `{"jsonrpc":"2.0","id":2,"method":"${'x'.repeat(100_000)}"}`, [1]],
  ])('comes with the end of stdin; the last line %s', async (_, last, answered) => {
    const client = serve({})
    client.send({ id: 1, method: 'ping' })
    client.write(last)
    client.end()
    await client.server.done
    await client.server.close()
    expect(client.messages.map(({ id }) => id)).toEqual(answered)
  })

  it('comes at once for a client that said goodbye; it hears nothing more, not even that it need not answer', async () => {
    let finish: (() => void) | undefined
    const client = serve({
      soon: () => new Promise<void>((resolve) => (finish = resolve)),
      ask: async (_, { reach, signal }) => void (await reach.ask?.('roots/list', {}, signal)),
    })
    await client.open({ capabilities: { roots: {} } })
    client.send({ id: 1, method: 'soon' })
    client.send({ id: 2, method: 'ask' })
    await client.find(({ method }) => method === 'roots/list')
    const heard = client.messages.length
    client.end()
    await client.server.done
    finish?.()
    const closedAt = performance.now()
    await client.server.close()
    expect(performance.now() - closedAt).toBeLessThan(500)
    expect(client.messages.slice(heard)).toEqual([])
  })

  it('answers nothing more to a client that waits for replies, however soon after its request it closes', async () => {
    let finish: (() => void) | undefined
    const client = serve({ soon: () => new Promise<void>((resolve) => (finish = resolve)) })
    await client.open()
    await client.request('ping')
    client.send({ id: 1, method: 'soon' })
    await untilAnswer(
      () => finish,
      (begun) => begun !== undefined,
    )
    const heard = client.messages.length
    client.end()
    await client.server.done
    finish?.()
    await client.server.close()
    expect(client.messages.slice(heard)).toEqual([])
  })

  it('tells a client that still listens that its request is given up', async () => {
    const client = serve({ hang: untilGivenUp })
    client.send({ id: 2, method: 'hang' })
    await client.request('ping')
    await client.server.close()
    expect(client.messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: STOPPING } })
  })

  it('comes also for a client that reads nothing and keeps its end open', async () => {
    const held: (() => void)[] = []
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void held.push(done) })
    const input = new PassThrough()
    const { server } = startStdioStage({ hang: untilGivenUp }, { streams: { input, output } })
    for (const [id, method] of ['ping', 'ping', 'hang'].entries())
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`)
    input.end()
    await server.done
    const startedAt = performance.now()
    await server.close()
    expect(performance.now() - startedAt).toBeLessThan(1_700)
    expect(held).toHaveLength(1)
    output.destroy()
  })

  it('comes when nobody reads any more, and then waits for nothing', async () => {
    const client = serve({ hang: untilGivenUp })
    client.send({ id: 1, method: 'hang' })
    await client.request('ping')
    client.streams.output.destroy()
    await client.server.done
    const startedAt = performance.now()
    await client.server.close()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})
