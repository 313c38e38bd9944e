import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { askSure, beAsked } from '../testing/asked.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import * as tasks from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

const [OLD, NEXT] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const toAuth = (token: string) =>
  AuthBlock.parse({ tokens: [{ name: 'alice', hash: [toDigest(token)], grant: 'all' }], grants: { all: {} } })

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let twin: TestBridge
beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine, { options: { auth: toAuth(OLD) } })
  twin = await startBridge(engine, { options: { auth: toAuth(OLD), apiPath: '/twin' } })
  bridge.other.registerFunction('ask::now', askSure)
  bridge.other.registerFunction('ask::later', askSure, { metadata: { mcp: { task: 'optional' } } })
  for (const each of [bridge, twin]) {
    await untilAnswer(
      () => each.rpc('tools/list', {}, as(OLD)),
      ({ text }) => text.includes('ask__later'),
    )
  }
})
beforeEach(() => replaceBy(OLD))
afterAll(async () => {
  for (const each of [twin, bridge]) await each[Symbol.asyncDispose]()
  await engine.close()
})

/** From now on this is the token of the same principal, and the other one is none. */
function replaceBy(token: string): void {
  for (const each of [bridge, twin]) each.set({ auth: toAuth(token) })
}

const toWay = (of: TestBridge, token: string): TestBridge => ({
  ...of,
  rpc: (method, params, headers) => of.rpc(method, params, { ...headers, ...as(token) }),
})

const bridges: [string, () => TestBridge][] = [
  ['the bridge that asked', () => bridge],
  ['another bridge of the engine', () => twin],
]

describe('whose token is replaced while a function waits', () => {
  it.each(bridges)('answers a question with the next one, at %s, and the call goes on', async (_, at) => {
    const { session, events, answer } = await beAsked(bridge, as(OLD), 'ask__now')
    replaceBy(NEXT)
    expect((await at().post(answer, { ...session, ...as(NEXT) })).status).toBe(202)
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { content: [{ text: 'went on' }] } })
  })

  it.each(bridges)('answers a task with the next one, at %s, and it goes on', async (_, at) => {
    const taskId = await tasks.begin(toWay(bridge, OLD), 'ask__later')
    await untilAnswer(
      () => tasks.get(toWay(bridge, OLD), taskId),
      ({ status }) => status === 'input_required',
    )
    replaceBy(NEXT)
    const inputResponses = { sure: { action: 'accept', content: {} } }
    await tasks.postWithTasks(toWay(at(), NEXT), 'tasks/update', { taskId, inputResponses })
    const { result } = await tasks.over(toWay(at(), NEXT), taskId)
    expect(result).toMatchObject({ content: [{ text: 'went on' }] })
  })
})
