import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import type { Share } from '../mcp/call.ts'
import { RPC } from '../mcp/rpc.ts'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'
import { createSlots, type Slots } from './slots.ts'

const ATTACHED: Share = { kind: 'attached' }
const SESSIONLESS: Share = { kind: 'sessionless' }
const toSession = (handle: string, hasFinished = true): Share => ({
  kind: 'session',
  handle,
  hasFinishedARequest: () => hasFinished,
})

/** @param id of a principal; without one it is everybody */
const toHolder = (share: Share, id?: string) => ({
  share,
  principal: id === undefined ? EVERYBODY : { ...EVERYBODY, id, method: 'token' as const },
})

/** Takes as many slots as there are for a share. @returns how many, why there are no more, and how to give one back */
async function fill(
  slots: Slots,
  share: Share,
  id?: string,
): Promise<{ count: number; why: string; free: () => void }> {
  const ends: (() => void)[] = []
  for (;;) {
    let why: string | undefined
    const work = () => new Promise<void>((resolve) => ends.push(resolve))
    const refused = slots.run(toHolder(share, id), work).catch((error: Error) => {
      why = error.message
    })
    await Promise.race([refused, new Promise(setImmediate)])
    if (why !== undefined) return { count: ends.length, why, free: () => ends.pop()?.() }
  }
}

describe('slots', () => {
  it('are limited for each principal, in all its sessions and without one, while there are some for the others', async () => {
    const slots = createSlots(16, ({ id }) => (id === 'token:ci' ? 3 : 4))
    const first = await fill(slots, toSession('one'), 'token:ci')
    expect([first.count, first.why]).toEqual([3, expect.stringContaining('this caller has 3 under way')])
    expect((await fill(slots, toSession('two'), 'token:ci')).count).toBe(0)
    expect((await fill(slots, SESSIONLESS, 'token:ci')).count).toBe(0)
    expect((await fill(slots, SESSIONLESS, 'token:desk')).count).toBe(4)
    expect((await fill(slots, SESSIONLESS, 'token:other')).count).toBe(4)
    first.free()
    await new Promise(setImmediate)
    expect((await fill(slots, SESSIONLESS, 'token:ci')).count).toBe(1)
  })

  it('turn the next one away, at once, while all are taken, and are free after a success or a failure', async () => {
    const slots = createSlots(2)
    let finish: () => void = () => undefined
    const pending = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = [slots.run(toHolder(ATTACHED), () => pending), slots.run(toHolder(ATTACHED), () => pending)]
    await expect(slots.run(toHolder(ATTACHED), async () => 'never')).rejects.toMatchObject({ code: RPC.overloaded })
    finish()
    await Promise.all(running)
    await expect(slots.run(toHolder(ATTACHED), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slots.run(toHolder(ATTACHED), async () => 'free again')).toBe('free again')
  })

  it('leave room: a quarter is for one session, and for all callers without one', async () => {
    const slots = createSlots(16)
    const first = await fill(slots, toSession('a'))
    expect(first).toMatchObject({ count: 4, why: expect.stringMatching(/this session has 4 under way/) })
    const others = await fill(slots, SESSIONLESS)
    expect(others).toMatchObject({ count: 4, why: expect.stringMatching(/callers without a session have 4/) })
    expect((await fill(slots, toSession('b'))).count).toBe(4)
    expect((await fill(slots, toSession('c'))).count).toBe(4)
    expect(await fill(slots, toSession('d'))).toMatchObject({ count: 0, why: expect.stringMatching(/server runs 16;/) })
    first.free()
    await new Promise(setImmediate)
    expect((await fill(slots, toSession('d'))).count).toBe(1)
  })

  it('leave half to sessions that have finished a request', async () => {
    const slots = createSlots(16)
    const counts: number[] = []
    for (const handle of ['a', 'b', 'c']) counts.push((await fill(slots, toSession(handle, false))).count)
    expect(counts).toEqual([4, 4, 0])
    expect((await fill(slots, toSession('d', false))).why).toMatch(/8 under way together; send a ping/)
    expect((await fill(slots, toSession('d', true))).count).toBe(4)
  })

  it('are apart for the client that started the process, and not needed for what was let in before', async () => {
    const slots = createSlots(4)
    for (const share of [SESSIONLESS, toSession('a'), toSession('b'), toSession('c')]) await fill(slots, share)
    expect((await fill(slots, ATTACHED)).count).toBe(4)
    expect(await slots.run(toHolder({ kind: 'admitted' }), async () => 'runs')).toBe('runs')
  })
})

const TEMPLATE = 'test://jobs/{id}'

/** Functions for every way to a call; those that are called while `isOpen` is false do not end before `finish`. */
async function offerJobs(bridge: TestBridge) {
  const waiting: (() => void)[] = []
  const gate = { isOpen: false }
  const job = () => (gate.isOpen ? 'done' : new Promise((resolve) => waiting.push(() => resolve('done'))))
  const { other } = bridge
  other.registerFunction('jobs::tool', job)
  other.registerFunction('jobs::note', job, { metadata: { mcp: { resource: { uri: 'test://note', name: 'note' } } } })
  other.registerFunction('jobs::values', () => ['a'])
  const template = { uriTemplate: TEMPLATE, name: 'job' }
  other.registerFunction('jobs::one', job, { metadata: { mcp: { template, complete: 'jobs::values' } } })
  await other.ready()
  // The bridge may have looked right before.
  await untilAnswer(
    async () => JSON.stringify((await bridge.rpc('resources/list')).message),
    (list) => list.includes('test://note'),
  )
  return { waiting, gate }
}

const ref = { type: 'ref/resource', uri: TEMPLATE }
const WAYS: readonly (readonly [string, object])[] = [
  ['tools/call', { name: 'jobs__tool' }],
  ['resources/read', { uri: 'test://note' }],
  ['resources/read', { uri: 'iii://skills' }],
  ['prompts/get', { name: 'job' }],
  ['completion/complete', { ref, argument: { name: 'id', value: '' } }],
  ['tools/call', { name: 'iii_trigger_void', arguments: { function_id: 'jobs::tool', payload: {} } }],
]

async function openSession(bridge: TestBridge): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '9' } }
  const { headers } = await bridge.rpc('initialize', params)
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

describe('a flood of calls', () => {
  it('without a session is answered with 429 beyond its share, on every way to a call, and sessions go on', async () => {
    await using engine = await startMockEngine()
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('job', 'jobs::tool')
    const setup = { limits: { callsAtOnce: 8 }, options: { httpBuiltins: true } }
    await using bridge = await startBridge(engine, setup)
    const { waiting, gate } = await offerJobs(bridge)
    const session = await openSession(bridge)
    const calls = [bridge.call('jobs__tool'), bridge.call('jobs__tool')]
    await untilAnswer(
      () => waiting.length,
      (count) => count === 2,
    )
    gate.isOpen = true
    for (const [method, params] of WAYS) {
      const { meta, headers: claim } = stateless(method, String(Object.values(params)[0]))
      const named = method === 'completion/complete' ? stateless(method).headers : claim
      for (const refused of [
        await bridge.rpc(method, params),
        await bridge.rpc(method, { ...params, _meta: meta }, named),
      ]) {
        const { status, headers, message } = refused
        expect([method, status, headers.get('retry-after'), message.id]).toEqual([method, 429, '1', 1])
        expect(message.error?.message).toMatch(/callers without a session have 2 under way/)
      }
      expect((await bridge.rpc(method, params, session)).message).toHaveProperty('result')
    }
    expect((await bridge.rpc('tools/list')).status).toBe(200)
    for (const finish of waiting) finish()
    expect((await Promise.all(calls)).map(({ content }) => content[0]?.text)).toEqual(['done', 'done'])
  })

  it('of sessions that have done nothing yet leaves half to those that have', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { callsAtOnce: 8 } })
    const { waiting, gate } = await offerJobs(bridge)
    const call = (headers: Record<string, string>) => bridge.rpc('tools/call', { name: 'jobs__tool' }, headers)
    const sessions = await Promise.all(Array.from({ length: 3 }, () => openSession(bridge)))
    const running = sessions.slice(0, 2).flatMap((session) => [call(session), call(session)])
    await untilAnswer(
      () => waiting.length,
      (count) => count === 4,
    )
    gate.isOpen = true
    const [first = {}, , third = {}] = sessions
    expect((await call(first)).message.error?.message).toContain('this session has 2 under way')
    const { status, message } = await call(third)
    expect([status, message.error?.message]).toEqual([429, expect.stringContaining('have 4 under way together')])
    await bridge.rpc('ping', {}, third)
    expect((await call(third)).status).toBe(200)
    for (const finish of waiting) finish()
    await Promise.all(running)
  })
})
