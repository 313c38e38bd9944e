import { startMockEngine } from '@iii/mock-engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { askSure, beAsked, openAskable } from '../testing/asked.ts'
import { type AuditLog, createAuditLog } from '../testing/audit-log.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const [ALICE, BOB] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const auth = AuthBlock.parse({
  tokens: [
    { name: 'alice', hash: [toDigest(ALICE)], grant: 'all' },
    { name: 'bob', hash: [toDigest(BOB)], grant: 'all' },
  ],
  grants: { all: {} },
})
const FOREIGN = { kind: 'auth', code: 'foreign-answer' }

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let audit: AuditLog
beforeEach(async () => {
  engine = await startMockEngine({ functionsPollMs: 50 })
  audit = createAuditLog()
  bridge = await startBridge(engine, { options: { auth }, log: audit.log })
  bridge.other.registerFunction('ask::sure', askSure)
  await untilAnswer(
    () => bridge.rpc('tools/list', {}, as(ALICE)),
    ({ text }) => text.includes('ask__sure'),
  )
})
afterEach(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

type Asked = Awaited<ReturnType<typeof beAsked>>

/** Whoever was asked answers now, and is heard. */
async function goOn(at: Pick<TestBridge, 'post'>, { answer, session, events }: Asked) {
  expect((await at.post(answer, session)).status).toBe(202)
  expect(await events.nextMessage()).toMatchObject({ id: 1, result: { content: [{ text: 'went on' }] } })
}

describe('whoever answers what another session was asked', () => {
  it.each<[string, number, (asked: Asked) => Promise<Record<string, string>>]>([
    ['in a session of its own', 202, () => openAskable(bridge, as(BOB))],
    ['in that session, which is not its own', 404, async ({ session }) => ({ ...session, ...as(BOB) })],
    ['without a session', 202, async () => as(BOB)],
  ])('is in the audit, and reads nothing of it: %s', async (_, status, toHeaders) => {
    const asked = await beAsked(bridge, as(ALICE), 'ask__sure')
    const headers = await toHeaders(asked)
    const reply = await bridge.post(asked.answer, headers)
    const nobodyAsked = { ...asked.answer, id: Number(asked.answer.id) ^ 99 }
    const other = await bridge.post(nobodyAsked, headers)
    expect([reply.status, reply.text]).toEqual([status, other.text])
    const who = { principal: 'token:bob', auth: 'token', decision: 'auth', outcome: 'refused' }
    expect(await audit.hear(FOREIGN)).toMatchObject(who)
    await goOn(bridge, asked)
  })

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['in a session', () => openAskable(bridge, as(BOB))],
    ['without one', async () => as(BOB)],
  ])('is in the audit of the bridge that it talks to, if another one has asked: %s', async (_, toHeaders) => {
    const asked = await beAsked(bridge, as(ALICE), 'ask__sure')
    const own = createAuditLog()
    await using twin = await startBridge(engine, { options: { auth, apiPath: '/twin' }, log: own.log })
    expect((await twin.post(asked.answer, await toHeaders())).status).toBe(202)
    expect(await own.hear(FOREIGN)).toMatchObject({ principal: 'token:bob' })
    await goOn(twin, asked)
    expect(audit.lines.filter(({ code }) => code === 'foreign-answer')).toEqual([])
  })
})

it('answers of whoever was asked, and to what nobody asked, leave nothing in the audit', async () => {
  const asked = await beAsked(bridge, as(ALICE), 'ask__sure')
  await bridge.post({ ...asked.answer, id: 2 ** 51 }, asked.session)
  await bridge.post({ ...asked.answer, id: 1 }, as(BOB))
  await goOn(bridge, asked)
  expect((await bridge.post(asked.answer, asked.session)).status).toBe(202)
  expect((await bridge.post(asked.answer, as(BOB))).status).toBe(202)
  expect((await bridge.rpc('ping')).status).toBe(401)
  // What was not let in is told together: had there been another line, it would stand before this one.
  await audit.hear({ kind: 'auth', code: 'no-token' })
  expect(audit.lines.filter(({ code }) => code === 'foreign-answer')).toEqual([])
})
