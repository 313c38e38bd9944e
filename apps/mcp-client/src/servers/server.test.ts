import { describe, expect, it } from 'vitest'
import { createDeferred } from '../session/deferred.ts'
import { settle } from '../testing/manual-clock.ts'
import { allow, type MemoryServerStage, startServer } from '../testing/server-stage.ts'

const never = new AbortController().signal
const codes = ({ server }: MemoryServerStage) => server.status().diagnostics.map(({ code }) => code)

describe('a server', () => {
  it('starts when it may, is ready, and has its functions', async () => {
    await using stage = await startServer()
    expect(stage.server.status().state).toBe('stopped')
    await allow(stage)
    const status = stage.server.status()
    expect(status).toMatchObject({ state: 'ready', pid: 1, failures: 0, diagnostics: [] })
    expect(status.server).toMatchObject({ name: 'memory', protocolVersion: '2025-11-25', capabilities: ['tools'] })
    expect(stage.ids()).toEqual(['demo::echo'])
  })

  it.each([
    ['untrusted', { isTrusted: false }, ['not_trusted']],
    ['disabled', { isDisabled: true, isTrusted: false }, []],
  ] as const)('that is %s is not started', async (state, config, expected) => {
    await using stage = await startServer({ config })
    await allow(stage)
    expect(stage.server.status().state).toBe(state)
    expect(codes(stage)).toEqual(expected)
    stage.server.restart()
    await settle()
    expect(stage.processes).toEqual([])
  })

  it('whose secret is missing is not started, and is tried again', async () => {
    await using stage = await startServer()
    stage.missing = 'no TOKEN'
    await allow(stage)
    expect(stage.server.status()).toMatchObject({
      state: 'backoff',
      failures: 1,
      diagnostics: [{ code: 'secret_missing' }],
    })
    stage.missing = undefined
    expect(stage.server.status().lastFailure).toBeUndefined()
    await stage.clock.advance(600)
    expect(stage.server.status()).toMatchObject({
      ...{ state: 'ready', diagnostics: [] },
      lastFailure: { code: 'secret_missing', message: 'no TOKEN', at: expect.stringMatching(/Z$/) },
    })
  })

  it('comes back after half a second when its process ends, and then after twice as long each time', async () => {
    await using stage = await startServer()
    await allow(stage)
    for (const ms of [500, 1_000, 2_000]) {
      stage.last().end({ kind: 'exit', code: 1 })
      await settle()
      expect(stage.server.status()).toMatchObject({ state: 'backoff', diagnostics: [{ code: 'exited' }] })
      await stage.clock.advance(ms - 1)
      expect(stage.server.status().state).toBe('backoff')
      await stage.clock.advance(1)
      expect(stage.server.status().state).toBe('ready')
    }
    await stage.clock.advance(60_000)
    stage.last().end()
    await settle()
    expect(stage.server.status().failures).toBe(1)
  })

  it('is parked after eight failures, tried every five minutes, and at once when somebody asks for it', async () => {
    await using stage = await startServer({ answer: (_message, process) => process.end({ kind: 'exit', code: 1 }) })
    await allow(stage)
    await stage.clock.advance(200_000)
    expect(stage.server.status()).toMatchObject({
      state: 'parked',
      diagnostics: [{ code: 'exited_before_initialize' }],
    })
    const { length } = stage.processes
    await stage.clock.advance(5 * 60_000)
    expect(stage.processes).toHaveLength(length + 1)
    expect(stage.server.status().state).toBe('parked')
    stage.server.restart()
    await settle()
    expect(stage.processes).toHaveLength(length + 2)
    expect(stage.server.status()).toMatchObject({ state: 'backoff', failures: 1 })
  })

  it('is given up when it does not answer in time', async () => {
    await using stage = await startServer({ answer: () => undefined })
    await allow(stage)
    expect(stage.server.status().state).toBe('connecting')
    await stage.clock.advance(30_000)
    expect(stage.server.status()).toMatchObject({ state: 'backoff', diagnostics: [{ code: 'start_timeout' }] })
  })

  it.each([
    ['revision_unsupported', { protocolVersion: '2024-10-07' }],
    ['revision_unsupported', { protocolVersion: '2030-01-01' }],
    ['initialize_invalid', { protocolVersion: 7 }],
    ['initialize_invalid', {}],
  ])('%s: an answer to `initialize` of another kind is told', async (code, result) => {
    const rest = 'protocolVersion' in result ? { capabilities: {}, serverInfo: { name: 'a', version: '1' } } : {}
    await using stage = await startServer({
      answer: ({ method, id }, process) =>
        method === 'initialize' && process.say({ id, result: { ...rest, ...result } }),
    })
    await allow(stage)
    expect(codes(stage)).toEqual([code])
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('may speak revision %s', async (protocolVersion) => {
    await using stage = await startServer({
      answer: ({ method, id }, process) =>
        method === 'initialize' &&
        process.say({ id, result: { protocolVersion, capabilities: {}, serverInfo: { name: 'old', version: '1' } } }),
    })
    await allow(stage)
    expect(stage.server.status()).toMatchObject({ state: 'ready', server: { protocolVersion } })
  })

  it('keeps its functions for half a minute while it is away, and says that it is', async () => {
    await using stage = await startServer()
    await allow(stage)
    stage.processes.length = 0
    stage.missing = 'gone'
    await expect(stage.server.reach(never)).resolves.toBeDefined()
    const { session } = await stage.server.reach(never)
    session.close()
    stage.server.restart()
    await stage.clock.advance(2_000)
    expect(stage.ids()).toEqual(['demo::echo'])
    await expect(stage.server.reach(never)).rejects.toMatchObject({
      code: 'unavailable',
      message: /secret_missing: gone/,
    })
    await stage.clock.advance(30_000)
    expect(stage.ids()).toEqual([])
    stage.missing = undefined
    await stage.clock.advance(60_000)
    expect(stage.changes).toEqual(['+demo::echo', '-demo::echo', '+demo::echo'])
  })

  it('that writes to stderr without end is held up, but not when it is to end', async () => {
    await using stage = await startServer()
    await allow(stage)
    const { stderr } = stage.last()
    const flood = async () => {
      stderr.write('x'.repeat(2 ** 20 + 1))
      await settle()
    }
    await flood()
    expect(stderr.isPaused()).toBe(true)
    await stage.clock.advance(1_000)
    expect(stderr.isPaused()).toBe(false)
    await flood()
    stage.server.restart()
    await stage.clock.advance(2_000)
    expect(stderr.isPaused()).toBe(false)
    await flood()
    expect(stderr.isPaused()).toBe(false)
  })

  it('never has two processes: the next one starts when the last one has ended', async () => {
    await using stage = await startServer()
    await allow(stage)
    let release: () => void = () => undefined
    const first = stage.last()
    Object.assign(first, {
      stop: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    })
    stage.server.restart()
    await stage.clock.advance(10_000)
    expect(stage.processes).toHaveLength(1)
    release()
    await settle()
    expect(stage.processes).toHaveLength(2)
  })

  it('has none of its functions where somebody else has some under its name, and they come when that has gone', async () => {
    await using stage = await startServer()
    stage.conflict = "worker 'shop'"
    await allow(stage)
    expect(stage.server.status()).toMatchObject({ state: 'conflict', diagnostics: [{ code: 'name_conflict' }] })
    expect(stage.processes).toEqual([])
    stage.conflict = undefined
    stage.server.setConflict(undefined)
    await settle()
    expect(stage.server.status().state).toBe('ready')
    stage.server.setConflict("worker 'shop'")
    expect(stage.ids()).toEqual([])
    expect(stage.server.status()).toMatchObject({ state: 'conflict', pid: 1, diagnostics: [{ code: 'name_conflict' }] })
    stage.server.setConflict(undefined)
    await settle()
    expect(stage.ids()).toEqual(['demo::echo'])
    expect(stage.processes).toHaveLength(1)
  })

  it('that is to end, or ends, leaves its functions to whoever else has some under its name', async () => {
    await using stage = await startServer()
    await allow(stage)
    const leave = await stage.server.queue.enter(never)
    stage.server.retire()
    stage.server.setConflict("worker 'shop'")
    expect([stage.ids(), stage.warned]).toEqual([[], []])
    stage.server.setConflict(undefined)
    await settle()
    expect(stage.ids()).toEqual(['demo::echo'])
    leave()
    await settle()
    await allow(stage)
    const stopped = createDeferred()
    Object.assign(stage.last(), { stop: () => stopped.promise })
    stage.server.allow(false)
    await settle()
    expect(stage.ids()).toEqual(['demo::echo'])
    stage.server.setConflict("worker 'shop'")
    expect(stage.ids()).toEqual([])
    stopped.resolve()
  })

  it('tells the log once why it is not started, and why it has no functions', async () => {
    await using untrusted = await startServer({ config: { isTrusted: false } })
    await allow(untrusted)
    expect(untrusted.warned).toEqual(['not_trusted'])
    await using stage = await startServer()
    stage.server.setConflict("worker 'mcp-client'")
    expect(stage.warned).toEqual([])
    stage.conflict = new Error('the engine does not answer')
    await allow(stage)
    expect([stage.server.status().state, stage.warned]).toEqual(['ready', []])
    stage.server.setConflict("worker 'other'")
    stage.server.setConflict("worker 'other'")
    expect(stage.warned).toEqual(['name_conflict'])
  })

  it('ends at once when this process may not run it any more', async () => {
    await using stage = await startServer()
    await allow(stage)
    stage.server.allow(false)
    await settle()
    expect(stage.server.status()).toMatchObject({ state: 'stopped', pid: undefined })
    expect(stage.ids()).toEqual([])
  })
})
