import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'
import { form } from '../testing/tasks.ts'
import { until } from '../testing/until.ts'

const [ALICE, BOB] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const toAuth = (alice: object) =>
  AuthBlock.parse({
    tokens: [
      { name: 'alice', hash: [toDigest(ALICE)], grant: 'alice' },
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
    const { mcp } = metadata as { mcp: { input_responses?: object } }
    return mcp.input_responses === undefined
      ? { result_type: 'input_required', input_requests: { sure: form }, request_state: 's' }
      : 'went on'
  }
  bridge.other.registerFunction('ask::alice', ask, OF_ALICE)
  bridge.other.registerFunction('say::alice', () => 'for alice', OF_ALICE)
  bridge.other.registerFunction('say::bob', () => 'for bob', OF_BOB)
  for (const token of [ALICE, BOB]) {
    await until(
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

async function openSession(token: string) {
  const clientInfo = { name: 't', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo }
  const { headers } = await bridge.rpc('initialize', params, as(token))
  return { ...as(token), 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

/** Calls the function that asks, and waits for its question. */
async function beAsked() {
  const session = await openSession(ALICE)
  const params = { name: 'ask__alice', arguments: {} }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const events = await openEvents(bridge.url, postInit(message, session))
  const question = await events.nextMessage()
  expect(question).toMatchObject({ method: 'elicitation/create' })
  const answer = { jsonrpc: '2.0', id: question?.['id'], result: { action: 'accept', content: {} } }
  return { session, events, answer }
}

describe('a question in a call of one principal', () => {
  it('is not answered by another one, whichever session that names', async () => {
    const { session, events, answer } = await beAsked()
    const his = await openSession(BOB)
    expect((await bridge.post(answer, his)).status).toBe(202)
    expect((await bridge.post(answer, { ...session, ...as(BOB) })).status).toBe(404)
    expect((await bridge.post(answer, as(BOB))).status).toBe(202)
    expect(invocations).toBe(1)
    expect((await bridge.post(answer, session)).status).toBe(202)
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { content: [{ text: 'went on' }] } })
    expect(invocations).toBe(2)
  })

  it('is answered in vain once its grant does not name the function any more', async () => {
    const { session, events, answer } = await beAsked()
    bridge.set({ auth: toAuth({ tiers: [] }) })
    expect((await bridge.post(answer, session)).status).toBe(202)
    const reply = await events.nextMessage()
    const absent = await bridge.rpc('tools/call', { name: 'no__where', arguments: {} }, session)
    expect(JSON.stringify(reply?.['error']).replaceAll('ask__alice', 'no__where')).toBe(
      JSON.stringify(absent.message.error),
    )
    expect(invocations).toBe(1)
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
