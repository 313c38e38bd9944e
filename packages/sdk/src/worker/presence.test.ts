import { describe, expect, it, vi } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import {
  type AnyFrame,
  isPresentation,
  type ScriptedEngineOptions,
  startScriptedEngine,
  welcome,
} from '../testing/scripted-engine.ts'
import { invoke } from '../testing/start-worker.ts'
import { toIdentity } from './presence.ts'
import { registerWorker } from './register-worker.ts'
import type { RegisterWorkerOptions } from './worker.ts'

const TAKEN = {
  type: 'registrationrejected',
  code: 'WORKER_NAMESPACE_CONFLICT',
  namespace: 'default',
  worker_name: 'mcp',
  owner_worker_id: 'w-owner',
}
/** What is a second for others is ten milliseconds here. */
const QUICK = { refusedRetryMs: 10, maxRefusedRetryMs: 40 }

/** An engine that answers as `welcome` says, and a worker that has it. */
async function stage(options: RegisterWorkerOptions, engineOptions: ScriptedEngineOptions) {
  const engine = await startScriptedEngine(engineOptions)
  const log = createRecordedLog()
  const worker = registerWorker(engine.url, { name: 'mcp', log, timings: QUICK, ...options })
  const names = () =>
    engine.peers.flatMap(({ frames }) =>
      frames.filter(isPresentation).map(({ data }) => (data as { name: string }).name),
    )
  return {
    engine,
    log,
    worker,
    names,
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
      await engine.close()
    },
  }
}

it.each([null, ''])('a name that is %j is none', (name) => {
  expect(toIdentity({ name } as object)).toMatchObject({ name: toIdentity({}).name, naming: 'own' })
})

describe('a worker whose name another one has', () => {
  it('goes by one of its own at once, says so once, and stays with it', async () => {
    await using on = await stage({}, { welcome: (call, nth) => (nth === 1 ? TAKEN : welcome(call)) })
    const own = `mcp-${on.worker.instance.slice(0, 8)}`
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(on.names()).toEqual(['mcp', own])
    on.engine.peers[1]?.cut()
    await vi.waitFor(() => expect(on.names()).toEqual(['mcp', own, own]))
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(on.log.messages('warn')).toEqual([
      `another live worker (id w-owner) has the name 'mcp' in namespace 'default' already; this process is '${own}' from now on`,
      'the connection to the engine was lost; trying again until it answers',
    ])
    expect(on.log.messages('error')).toEqual([])
  })

  it('waits for it where it must have exactly that one, ever longer, and says who has it once', async () => {
    await using on = await stage({ naming: 'exact' }, { welcome: (call, nth) => (nth < 6 ? TAKEN : welcome(call)) })
    const startedAt = performance.now()
    await on.worker.ready({ timeoutMs: 5_000 })
    // 10, 20, 40, 40, 40: no longer each time, and never sooner.
    expect(performance.now() - startedAt).toBeGreaterThan(140)
    expect(new Set(on.names())).toEqual(new Set(['mcp']))
    expect(on.log.lines.map(({ level, fields }) => [level, fields['reason']])).toEqual([
      ['error', "another live worker (id w-owner) has the name 'mcp' in namespace 'default' already"],
      ['info', undefined],
    ])
  })

  it('takes it back where nobody is listed with it, and not again where somebody had it all the same', async () => {
    let refusals = 0
    const refuse = ({ data }: AnyFrame) => (data as { name: string }).name === 'mcp' && ++refusals <= 2
    const answers: Record<string, object> = {
      'engine::workers::list': { workers: [{ name: 'other', namespace: 'default' }] },
      'engine::functions::info': { functions: [] },
    }
    const looks = { afterArrivalMs: 5, betweenLooksMs: 5, fullLookEveryMs: 20, lookEveryMs: 20, askTimeoutMs: 50 }
    await using on = await stage(
      { watchOwnership: looks },
      {
        welcome: (call) => (refuse(call) ? TAKEN : welcome(call)),
        answer: ({ function_id: id, invocation_id }) => {
          const result = answers[String(id)]
          return result && { type: 'invocationresult', invocation_id, result }
        },
      },
    )
    const own = `mcp-${on.worker.instance.slice(0, 8)}`
    await vi.waitFor(() => expect(on.names()).toEqual(['mcp', own, 'mcp', own]), 5_000)
    await on.worker.ready({ timeoutMs: 5_000 })
    const asked = () =>
      on.engine.peers.flatMap(({ frames }) =>
        frames.filter(({ function_id }) => function_id === 'engine::workers::list'),
      )
    expect([on.names(), asked().length]).toEqual([['mcp', own, 'mcp', own], 1])
  })

  it('asks for no name that others can have, where it always goes by its own', async () => {
    await using on = await stage({ naming: 'own' }, {})
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(on.names()).toEqual([`mcp-${on.worker.instance.slice(0, 8)}`])
  })

  it('has one of its own when nobody named it', async () => {
    await using on = await stage({ name: undefined }, {})
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(on.names()).toEqual([expect.stringMatching(new RegExp(`:${process.pid}-[0-9a-f]{8}$`))])
  })
})

describe('a worker that the engine does not take', () => {
  const refused = { code: 'FORBIDDEN', message: "namespace 'default' not allowed for this session" }

  it('leaves before the engine puts its registrations anywhere, says why once, and comes back slowly', async () => {
    await using on = await stage(
      {},
      {
        welcome: (call, nth) =>
          nth < 4 ? { type: 'invocationresult', invocation_id: call['invocation_id'], error: refused } : welcome(call),
      },
    )
    on.worker.registerFunction('a::b', () => null)
    on.worker.registerTrigger({ type: 'cron', function_id: 'a::b', config: { expression: '@daily' } })
    const startedAt = performance.now()
    await (await on.engine.nextPeer()).closed
    expect(on.worker.state).toBe('connecting')
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(performance.now() - startedAt).toBeGreaterThan(3 * QUICK.maxRefusedRetryMs)
    for (const peer of on.engine.peers.slice(0, 3)) {
      expect(peer.frames.map(({ type }) => type)).not.toContain('registertrigger')
    }
    expect(on.log.lines.filter(({ level }) => level !== 'info')).toEqual([
      expect.objectContaining({
        level: 'error',
        message: 'the engine refused this worker; trying again',
        fields: expect.objectContaining({
          reason: "namespace 'default' not allowed for this session (FORBIDDEN)",
        }),
      }),
    ])
  })

  it('for a reason that it does not know stays away as well', async () => {
    const strange = { type: 'registrationrejected', code: 'FULL_MOON' }
    await using on = await stage({}, { welcome: (call, nth) => (nth === 1 ? strange : welcome(call)) })
    await on.worker.ready({ timeoutMs: 5_000 })
    expect(on.names()).toEqual(['mcp', 'mcp'])
    expect(on.log.lines[0]?.fields['reason']).toBe('it does not say why (FULL_MOON)')
  })

  it('keeps what it is asked to call for when it is taken, in order', async () => {
    await using on = await stage({}, { welcome: (call, nth) => (nth === 1 ? TAKEN : welcome(call)) })
    const calls = [1, 2, 3].map((n) => on.worker.trigger({ function_id: 'x::y', payload: { n } }))
    await on.worker.ready({ timeoutMs: 5_000 })
    const sent = on.engine.peers.map(({ frames }) =>
      frames.filter(({ function_id }) => function_id === 'x::y').map(({ data }) => (data as { n: number }).n),
    )
    expect(sent).toEqual([[], [1, 2, 3]])
    for (const frame of on.engine.peers[1]?.frames ?? []) {
      const { function_id, invocation_id } = frame
      if (function_id === 'x::y') on.engine.peers[1]?.send({ type: 'invocationresult', invocation_id, result: 1 })
    }
    expect(await Promise.all(calls)).toEqual([1, 1, 1])
  })
})

describe('before the engine has said that it takes a worker', () => {
  it('calls are answered already, because other engines have its functions at once', async () => {
    await using on = await stage({}, { welcome: () => undefined })
    on.worker.registerFunction('a::b', () => 'here')
    const peer = await on.engine.nextPeer()
    await peer.next('invokefunction', isPresentation)
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 'here' })
    expect([on.worker.state, peer.frames.some(({ type }) => type === 'ping')]).toEqual(['connecting', false])
  })
})
