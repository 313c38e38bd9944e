import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { type MockStage, startMockStage } from '../testing/mock-stage.ts'
import { QUICK_LOOKS, serves, stageShops, standsBy } from '../testing/shops.ts'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import type { Worker } from './worker.ts'

const WITHIN = { timeout: 10_000, interval: 5 }

function inform(caller: Worker, id: string): Promise<Record<string, unknown>> {
  return caller.trigger({ function_id: 'engine::functions::info', payload: { function_id: id } })
}

async function stageTwo(): Promise<MockStage & { worker: Worker; caller: Worker }> {
  const stage = await startMockStage(startMockEngine)
  return { ...stage, worker: await stage.connect(), caller: await stage.connect() }
}

describe('a function that is replaced', () => {
  it('says everything anew, and nothing of what it said before', async () => {
    await using stage = await stageTwo()
    const { worker, caller } = stage
    const old = { description: 'one', request_format: { type: 'object' }, metadata: { a: 1 } }
    const registration = worker.registerFunction('a::b', () => 1, old)
    await worker.ready()
    expect(await inform(caller, 'a::b')).toMatchObject({ description: 'one', request_schema: { type: 'object' } })
    registration.replace(() => 2, { description: 'two', response_format: z.number() })
    await worker.ready()
    const info = await inform(caller, 'a::b')
    expect(info).toMatchObject({ description: 'two', metadata: { 'iii.instance': worker.instance } })
    expect(Object.keys(info['metadata'] as object)).toEqual(['iii.instance'])
    expect(info).not.toHaveProperty('request_schema')
    expect(info).toHaveProperty('response_schema')
    expect(worker.functionIds).toEqual(['a::b'])
  })

  it('is never missing, and a call that runs is finished by the handler that it began with', async () => {
    await using stage = await stageTwo()
    const { worker, caller } = stage
    let finish: (value: string) => void = () => undefined
    const first = vi.fn(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    const registration = worker.registerFunction('a::b', first)
    await worker.ready()
    const running = caller.trigger({ function_id: 'a::b' })
    await vi.waitFor(() => expect(first).toHaveBeenCalled(), WITHIN)
    const answers: Promise<unknown>[] = []
    for (let nth = 0; nth < 50; nth++) {
      registration.replace(() => nth)
      answers.push(caller.trigger({ function_id: 'a::b' }))
      if (nth % 10 === 0) await answers.at(-1)
    }
    finish('by the first')
    expect(await running).toBe('by the first')
    const seen = await Promise.all(answers)
    expect(seen).toEqual(seen.map(() => expect.any(Number)))
    expect(await caller.trigger({ function_id: 'a::b' })).toBe(49)
  })

  it('checks payloads by its new schema, which also gives them their type', async () => {
    await using stage = await startScriptedStage()
    const registration = stage.worker.registerFunction('a::b', ({ n }) => n, {
      request_format: z.object({ n: z.number() }),
    })
    registration.replace(
      ({ text }) => {
        expectTypeOf(text).toEqualTypeOf<string>()
        return text
      },
      { request_format: z.object({ text: z.string() }) },
    )
    expect((await invoke(stage.peer, 'a::b', { n: 1 })).error?.message).toContain('text: must be a string')
    expect(await invoke(stage.peer, 'a::b', { text: 'x' })).toMatchObject({ result: 'x' })
  })

  it('has its own limit', async () => {
    await using stage = await startScriptedStage()
    const { worker, peer } = stage
    const registration = worker.registerFunction('a::b', () => 'read', { maxBytes: 500 })
    const long = 'x'.repeat(2000)
    expect((await invoke(peer, 'a::b', long)).error?.message).toContain('[too_large]')
    registration.replace(() => 'read')
    expect(await invoke(peer, 'a::b', long)).toMatchObject({ result: 'read' })
    registration.replace(() => 'read', { maxBytes: 600 })
    expect((await invoke(peer, 'a::b', long)).error?.message).toContain('at most 600 [too_large]')
  })

  it('is the one that the engine learns on the next connection', async () => {
    await using stage = await startScriptedStage({ timings: { firstRetryMs: 1 } })
    const registration = stage.worker.registerFunction('a::b', () => 1, { description: 'one' })
    await stage.peer.next('registerfunction')
    stage.peer.cut()
    await stage.peer.closed
    registration.replace(() => 2, { description: 'two' })
    const peer = await stage.engine.nextPeer()
    expect(await peer.next('registerfunction')).toMatchObject({ id: 'a::b', description: 'two' })
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 2 })
    expect(peer.frames.filter(({ type }) => type === 'registerfunction')).toHaveLength(1)
  })

  it('stays what it is when the new one cannot be sent, and cannot come back once it was taken back', async () => {
    await using stage = await startScriptedStage()
    const { worker, peer } = stage
    const registration = worker.registerFunction('a::b', () => 1)
    expect(() => registration.replace(() => 2, { metadata: { n: 1n } })).toThrow('holds a BigInt at metadata.n')
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 1 })
    registration.replace(() => 3)
    registration.unregister()
    expect(() => registration.replace(() => 4)).toThrow(Fault)
    expect(() => registration.replace(() => 4)).toThrow("This worker does not offer 'a::b' any more; register it")
    worker.registerFunction('a::b', () => 5)
    expect(() => registration.replace(() => 6)).toThrow(Fault)
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 5 })
  })

  it('may speak MCP', async () => {
    await using stage = await stageTwo()
    const { worker, caller } = stage
    const registration = registerMcpFunction(worker, 'a::b', () => 1, { mcp: { title: 'One', timeout_ms: 5 } })
    registration.replace(({ n }, { client }) => ({ n, client }), {
      request_format: z.object({ n: z.number() }),
      mcp: { title: 'Two' },
    })
    expect(await caller.trigger({ function_id: 'a::b', payload: { n: 2 } })).toEqual({ n: 2 })
    expect((await inform(caller, 'a::b'))['metadata']).toEqual({
      'iii.instance': worker.instance,
      'mcp.title': 'Two',
      'mcp.cancel': `mcp-cancel::${worker.instance}`,
    })
  })
})

describe('a function that is replaced while another worker has it', () => {
  it.each([
    ['stands by', {}],
    ['defers to it', { defers: true, watchOwnership: { ...QUICK_LOOKS, deferMs: 20 } }],
  ])('is left to it, and the new one serves when it leaves: its worker %s', async (_, options) => {
    await using stage = await stageShops(startMockEngine)
    const { defers } = { defers: false, ...options }
    const first = await stage.open('first', defers ? {} : options)
    const second = await stage.open('second', defers ? options : {})
    const [waiting, serving] = defers ? [second, first] : [first, second]
    await standsBy(waiting)
    waiting.offers.get('shop::who')?.replace(() => ({ who: 'replaced' }), { description: 'new' })
    await waiting.worker.ready()
    expect(await stage.servers()).toEqual(Array(3).fill(serving.who))
    await serving.worker.shutdown()
    await serves(waiting)
    expect(await stage.servers()).toEqual([waiting.who, waiting.who, 'replaced'])
    // What serves is replaced at once.
    waiting.offers.get('shop::who')?.replace(() => ({ who: 'again' }), { description: 'newer' })
    await waiting.worker.ready()
    expect(await stage.servers()).toEqual([waiting.who, waiting.who, 'again'])
    await vi.waitFor(
      async () => expect(await inform(stage.caller, 'shop::who')).toMatchObject({ description: 'newer' }),
      WITHIN,
    )
  })
})
