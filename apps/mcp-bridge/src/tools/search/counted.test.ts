import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { startBridge } from '../../testing/bridge.ts'
import { untilAnswer } from '../../testing/until.ts'

const [SEER, CI] = [createToken(), createToken()]
const auth = AuthBlock.parse({
  tokens: [
    { name: 'seer', hash: [toDigest(SEER)], grant: 'all' },
    { name: 'ci', hash: [toDigest(CI)], grant: 'all', limits: { per_minute: 1, burst: 3 } },
  ],
  grants: { all: {} },
})

it('a call through call_tool counts once, as the call by name does', async () => {
  await using engine = await startMockEngine({ functionsPollMs: 50 })
  await using bridge = await startBridge(engine, { options: { tools: 'search', auth } })
  bridge.other.registerFunction('orders::count', () => 7)
  await bridge.other.ready()
  const call = (name: string, input: object, token: string) =>
    bridge.rpc('tools/call', { name, arguments: input }, { authorization: `Bearer ${token}` })
  await untilAnswer(
    () => call('search_tools', { query: 'count' }, SEER),
    ({ text }) => text.includes('orders__count'),
  )
  const wrapped = () => call('call_tool', { name: 'orders__count', arguments: {} }, CI)
  const statuses = []
  for (const ask of [wrapped, () => call('orders__count', {}, CI), wrapped, wrapped])
    statuses.push((await ask()).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

it('of several questions says how many more fit them, each tool once', async () => {
  await using engine = await startMockEngine({ functionsPollMs: 50 })
  await using bridge = await startBridge(engine, { options: { tools: 'search' } })
  for (let at = 0; at < 30; at += 1) {
    bridge.other.registerFunction(`orders::send_${at}`, () => 1, { description: 'Send an order' })
    bridge.other.registerFunction(`parcels::track_${at}`, () => 1, { description: 'Track a parcel' })
  }
  await bridge.other.ready()
  const find = async (input: object) =>
    (await bridge.call('search_tools', { detail: 'names', ...input })).structuredContent as {
      tools: object[]
      left_out: number
    }
  await untilAnswer(
    () => find({ query: 'track a parcel' }),
    ({ tools, left_out }) => tools.length + left_out === 30,
  )
  const both = await find({ queries: ['send an order', 'track a parcel'], limit: 4 })
  expect([both.tools.length, both.left_out]).toEqual([4, 56])
})
