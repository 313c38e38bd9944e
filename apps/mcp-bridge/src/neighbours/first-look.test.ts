import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import type { BridgeOptions } from '../options.ts'
import { type BridgeSetup, startBridge } from '../testing/bridge.ts'
import { until } from '../testing/until.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const ASKS = { http: true, locked: null, settings: { auth: { mode: 'required' }, api_path: 'mcp' } }

/** A bridge that tells what it works with when the test says so. */
async function startSlowBridge(engine: MockEngine) {
  const worker = registerWorker(engine.url, { name: 'mcp', log: createLog({ name: 'mcp', level: 'silent' }) })
  let tell: (answer: unknown) => void = () => undefined
  const promise = new Promise((resolve) => {
    tell = resolve
  })
  let asked = 0
  const answer = () => {
    asked++
    return promise
  }
  worker.registerFunction(`mcp::${worker.instance}::settings`, answer, { metadata: { internal: true } })
  await worker.ready()
  return { asked: () => asked, tell, [Symbol.asyncDispose]: () => worker.shutdown() }
}

/** The first answer at the path of a bridge that is not ready, as one that is there. */
function ask(engine: MockEngine, path = '/mcp', headers = {}) {
  const post = () =>
    fetch(`${engine.httpUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(PING),
    })
  return until(post, ({ status }) => status !== 404)
}

/** Starts one, and asks while it is not ready. */
async function startAsked(engine: MockEngine, setup: BridgeSetup) {
  const starting = startBridge(engine, setup)
  const answering = ask(engine)
  return { starting, answering }
}

async function expectHeld(answering: Promise<Response>, look: () => Promise<unknown>): Promise<void> {
  let isAnswered = false
  const noted = answering.then(() => {
    isAnswered = true
  })
  await look()
  expect(isAnswered).toBe(false)
  void noted
}

describe.each(['0.22', '0.23'] as const)('on an engine like %s', (engineLine) => {
  it('a bridge that says nothing of who may ask answers nobody before it knows that no other asks for tokens', async () => {
    await using engine = await startMockEngine({ engine: engineLine })
    await using slow = await startSlowBridge(engine)
    const { starting, answering } = await startAsked(engine, {})
    await expectHeld(answering, () => until(async () => slow.asked(), Boolean))
    await using caller = registerCaller(engine)
    const bare = caller.worker.trigger({ function_id: 'mcp::handler', payload: PING })
    slow.tell(ASKS)
    expect((await answering).status).toBe(503)
    expect(await (await answering).text()).toContain('another bridge of this engine asks callers for a token')
    expect(await bare).toMatchObject({ error: { message: expect.stringContaining('asks callers for a token') } })
    await using _ = await starting
  })

  it('answers what has waited where others ask nobody', async () => {
    await using engine = await startMockEngine({ engine: engineLine })
    await using slow = await startSlowBridge(engine)
    const { starting, answering } = await startAsked(engine, {})
    await expectHeld(answering, () => until(async () => slow.asked(), Boolean))
    slow.tell({ ...ASKS, settings: { api_path: 'mcp' } })
    expect((await answering).status).toBe(200)
    await using _ = await starting
  })

  it('one that does not tell in time counts as one that asks nobody', async () => {
    await using engine = await startMockEngine({ engine: engineLine })
    await using _slow = await startSlowBridge(engine)
    const { starting, answering } = await startAsked(engine, { limits: { engineTimeoutMs: 300 } })
    expect((await answering).status).toBe(200)
    await using _ = await starting
  })

  it('who has written who may ask lets nobody wait', async () => {
    await using engine = await startMockEngine({ engine: engineLine })
    await using slow = await startSlowBridge(engine)
    for (const [mode, status] of [
      ['off', 200],
      ['required', 401],
    ] as const) {
      const options: Partial<BridgeOptions> = { auth: AuthBlock.parse({ mode }), apiPath: `/${mode}` }
      const starting = startBridge(engine, { options })
      expect((await ask(engine, `/${mode}`)).status).toBe(status)
      slow.tell(ASKS)
      await using _ = await starting
    }
  })

  it('a new path is one whose neighbours are not known', async () => {
    await using engine = await startMockEngine({ engine: engineLine })
    await using bridge = await startBridge(engine, { options: { apiPath: '/elsewhere' } })
    await using slow = await startSlowBridge(engine)
    bridge.set({ apiPath: '/mcp' })
    const answering = ask(engine)
    await expectHeld(answering, () => until(async () => slow.asked(), Boolean))
    slow.tell(ASKS)
    expect((await answering).status).toBe(503)
  })
})

function registerCaller(engine: MockEngine) {
  const worker = registerWorker(engine.url, { name: 'caller', log: createLog({ name: 'caller', level: 'silent' }) })
  return { worker, [Symbol.asyncDispose]: () => worker.shutdown() }
}
