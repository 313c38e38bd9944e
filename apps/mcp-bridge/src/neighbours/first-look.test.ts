import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, InvocationError, type Logger, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { BRIDGE_SPECS, type BridgeOptions } from '../options.ts'
import { type BridgeSetup, startBridge } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'
import { createNeighbourWatch } from './watch.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const ASKS = { http: true, locked: null, settings: { auth: { mode: 'required' }, api_path: 'mcp' } }

/** A bridge that tells what it works with when the test says so. */
async function startSlowBridge(engine: MockEngine) {
  const worker = registerWorker(engine.url, { name: 'mcp', log: createLog({ name: 'mcp', level: 'silent' }) })
  let tell: (answer: unknown) => void = () => undefined
  const told = new Promise((resolve) => {
    tell = resolve
  })
  let asked = 0
  const answer = () => {
    asked++
    return told
  }
  worker.registerFunction(`mcp::${worker.instance}::settings`, answer, { metadata: { internal: true } })
  await worker.ready()
  return { asked: () => asked, tell: (what: unknown) => tell(what), [Symbol.asyncDispose]: () => worker.shutdown() }
}

/** The first answer at the path of a bridge that is not ready, as one that is there; an engine may be away meanwhile. */
async function ask(engine: MockEngine, path = '/mcp'): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const post = () =>
    fetch(`${engine.httpUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(PING) }).catch(() => undefined)
  const answer = await untilAnswer(post, (found) => found !== undefined && found.status !== 404)
  if (answer === undefined) throw new Error('unreachable')
  return answer
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
    await expectHeld(answering, () => untilAnswer(async () => slow.asked(), Boolean))
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
    await expectHeld(answering, () => untilAnswer(async () => slow.asked(), Boolean))
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
    await expectHeld(answering, () => untilAnswer(async () => slow.asked(), Boolean))
    slow.tell(ASKS)
    expect((await answering).status).toBe(503)
  })
})

describe('a connection', () => {
  const open = Object.fromEntries(BRIDGE_SPECS.map(([key, spec]) => [key, spec.default])) as unknown as BridgeOptions

  function watchWith(trigger: () => Promise<unknown>) {
    const warnings: string[] = []
    const log = { ...createLog({ name: 'mcp', level: 'silent' }), warn: (text: string) => void warnings.push(text) }
    const worker = { trigger, namespace: undefined, instance: 'own', state: 'connected', claim() {}, defer() {} }
    const watch = createNeighbourWatch({
      worker: worker as unknown as Worker,
      ...{ options: () => open, isLocked: () => false, timeoutMs: 10, laterMs: 5, log: log as unknown as Logger },
    })
    return { watch, warnings, [Symbol.dispose]: watch.close }
  }

  it('that is lost takes with it what was seen, and everybody waits for the next one', async () => {
    using at = watchWith(() => Promise.resolve({ functions: [] }))
    const { clearance } = at.watch
    expect(clearance.pending).toBeInstanceOf(Promise)
    await at.watch.arrive()
    expect([clearance.pending, clearance.shut]).toEqual([undefined, undefined])
    at.watch.leave()
    expect([clearance.pending, clearance.shut]).toEqual([expect.any(Promise), expect.stringContaining('not known yet')])
    await at.watch.arrive()
    expect([clearance.pending, clearance.shut]).toEqual([undefined, undefined])
  })

  it('that is lost while it is looked around has shown nothing', async () => {
    let answer: (told: unknown) => void = () => undefined
    const answering = new Promise((resolve) => {
      answer = resolve
    })
    using at = watchWith(() => answering)
    const { clearance } = at.watch
    const looking = at.watch.arrive()
    at.watch.leave()
    answer({ functions: [] })
    await looking
    expect([clearance.pending, clearance.shut]).toEqual([expect.any(Promise), expect.stringContaining('not known yet')])
  })

  it('over which the engine tells nothing lets nobody in until it does, which is said', async () => {
    let isTelling = false
    using at = watchWith(() => (isTelling ? Promise.resolve({ functions: [] }) : Promise.reject(new Error('silent'))))
    const { clearance } = at.watch
    void at.watch.arrive()
    await clearance.pending
    expect([clearance.shut, at.warnings]).toEqual([
      expect.stringContaining('not known yet'),
      [expect.stringContaining('does not tell which other bridges it has')],
    ])
    isTelling = true
    await untilAnswer(
      () => clearance.shut,
      (shut) => shut === undefined,
    )
  })

  it('over which this worker may ask nothing shows no others', async () => {
    using at = watchWith(() => Promise.reject(new InvocationError('FORBIDDEN', 'no', 'engine::functions::list')))
    await at.watch.arrive()
    expect(at.watch.clearance).toEqual({ shut: undefined, pending: undefined })
  })
})

function registerCaller(engine: MockEngine) {
  const worker = registerWorker(engine.url, { name: 'caller', log: createLog({ name: 'caller', level: 'silent' }) })
  return { worker, [Symbol.asyncDispose]: () => worker.shutdown() }
}
