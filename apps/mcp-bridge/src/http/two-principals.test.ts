import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { askSure, beAsked, openAskable } from '../testing/asked.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import * as tasks from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

const [ALICE, NEXT, BOB] = [createToken(), createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const toAuth = (alice: object, token = ALICE) =>
  AuthBlock.parse({
    tokens: [
      { name: 'alice', hash: [toDigest(token)], grant: 'alice' },
      { name: 'bob', hash: [toDigest(BOB)], grant: 'bob' },
    ],
    grants: { alice, bob: { tiers: ['bob'] } },
  })
const OF_ALICE = { metadata: { mcp: { tier: 'alice' } } }
const OF_BOB = { metadata: { mcp: { tier: 'bob' } } }

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let invocations = 0
beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine, { options: { auth: toAuth({ tiers: ['alice'] }) } })
  const ask = (_: unknown, metadata: unknown) => {
    invocations += 1
    return askSure(_, metadata)
  }
  bridge.other.registerFunction('ask::alice', ask, OF_ALICE)
  bridge.other.registerFunction('ask::later', ask, { metadata: { mcp: { tier: 'alice', task: 'optional' } } })
  bridge.other.registerFunction('say::alice', () => 'for alice', OF_ALICE)
  bridge.other.registerFunction('say::bob', () => 'for bob', OF_BOB)
  for (const token of [ALICE, BOB]) {
    await untilAnswer(
      () => bridge.rpc('tools/list', {}, as(token)),
      ({ text }) => text.includes('say__'),
    )
  }
})
beforeEach(() => {
  bridge.set({ auth: toAuth({ tiers: ['alice'] }) })
  invocations = 0
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

describe('a question in a call of one principal', () => {
  it('is not answered by another one, whichever session that names', async () => {
    const { session, events, answer } = await beAsked(bridge, as(ALICE), 'ask__alice')
    const his = await openAskable(bridge, as(BOB))
    expect((await bridge.post(answer, his)).status).toBe(202)
    expect((await bridge.post(answer, { ...session, ...as(BOB) })).status).toBe(404)
    expect((await bridge.post(answer, as(BOB))).status).toBe(202)
    expect(invocations).toBe(1)
    expect((await bridge.post(answer, session)).status).toBe(202)
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { content: [{ text: 'went on' }] } })
    expect(invocations).toBe(2)
  })

  it('is answered in vain once its grant does not name the function any more', async () => {
    const { session, events, answer } = await beAsked(bridge, as(ALICE), 'ask__alice')
    bridge.set({ auth: toAuth({ tiers: [] }) })
    expect((await bridge.post(answer, session)).status).toBe(202)
    const text = expect.stringMatching(/ask::alice went away while the client was asked/)
    expect(await events.nextMessage()).toMatchObject({ result: { isError: true, content: [{ text }] } })
    expect(invocations).toBe(1)
  })
})

describe('a task of one principal that waits for an answer', () => {
  it.each([
    ['in vain once its grant does not name the function any more', ALICE, { tiers: [] }, 1],
    ['with another token of the same principal, once its own is gone', NEXT, { tiers: ['alice'] }, 2],
  ])('is answered %s', async (_, token, grant, count) => {
    const wayOf = (own: string): TestBridge => ({
      ...bridge,
      rpc: (method, params, headers) => bridge.rpc(method, params, { ...headers, ...as(own) }),
    })
    const taskId = await tasks.begin(wayOf(ALICE), 'ask__later')
    await untilAnswer(
      () => tasks.get(wayOf(ALICE), taskId),
      ({ status }) => status === 'input_required',
    )
    bridge.set({ auth: toAuth(grant, token) })
    const inputResponses = { sure: { action: 'accept', content: {} } }
    await tasks.postWithTasks(wayOf(token), 'tasks/update', { taskId, inputResponses })
    await tasks.over(wayOf(token), taskId)
    expect(invocations).toBe(count)
  })
})

describe('a call of one principal', () => {
  it('is not cancelled by another one, whichever session that names', async () => {
    const [session, his] = [await openAskable(bridge, as(ALICE)), await openAskable(bridge, as(BOB))]
    let finish: (value: unknown) => void = () => undefined
    const called = new Promise<void>((resolve) => {
      const wait = () => {
        resolve()
        return new Promise((done) => {
          finish = done
        })
      }
      bridge.other.registerFunction('wait::alice', wait, OF_ALICE)
    })
    await bridge.other.ready()
    const params = { name: 'wait__alice', arguments: {} }
    const reply = bridge.post({ jsonrpc: '2.0', id: 77, method: 'tools/call', params }, session)
    await called
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } }
    const heard = await Promise.all(
      [his, { ...session, ...as(BOB) }, as(BOB), as(ALICE), session['mcp-session-id']].map((headers) =>
        bridge.post(cancel, typeof headers === 'string' ? { 'mcp-session-id': headers } : headers),
      ),
    )
    expect(heard.map(({ status }) => status)).toEqual([202, 404, 202, 202, 401])
    finish('waited for')
    expect((await reply).message.result).toMatchObject({ content: [{ text: 'waited for' }] })
  })
})

describe('two principals at the same time', () => {
  it('are each told their own, ten thousand times, with the same ids', async () => {
    const wrong: string[] = []
    const ask = async (nth: number) => {
      const [token, own, other] = nth % 2 === 0 ? [ALICE, 'alice', 'bob'] : [BOB, 'bob', 'alice']
      const call = { name: `say__${own}`, arguments: {} }
      const { text } = await (nth % 4 < 2
        ? bridge.rpc('tools/list', {}, as(token))
        : bridge.rpc('tools/call', call, as(token)))
      if (!text.includes(own) || text.includes(other)) wrong.push(`${own}: ${text}`)
    }
    for (let done = 0; done < 10_000; done += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, at) => ask(done + at)))
    }
    expect(wrong).toEqual([])
  }, 180_000)
})
