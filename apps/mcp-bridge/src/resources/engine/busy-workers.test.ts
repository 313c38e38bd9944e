import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { startBridge } from '../../testing/bridge.ts'
import { offerHeld } from '../../testing/held-function.ts'
import { untilAnswer } from '../../testing/until.ts'

const CI = createToken()
const ACTIVE = /"active_invocations":([^,}]+)/

it('how many calls a worker answers is told to everybody, and not to whoever has a grant, which hides some of them', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  const { running, finish } = offerHeld(bridge.other, 'vault::open')
  bridge.other.registerFunction('shop::open', () => 1, { metadata: { 'mcp.tier': 'user' } })
  await bridge.other.ready()
  const call = bridge.call('vault__open')
  await untilAnswer(running, (count) => count === 1)
  const read = async (headers: Record<string, string> = {}) => {
    const { text } = await bridge.rpc('resources/read', { uri: 'iii://workers' }, headers)
    return ACTIVE.exec(text.replaceAll('\\', ''))?.[1]
  }
  await untilAnswer(read, (count) => count === '1')
  const tokens = [{ name: 'ci', hash: [toDigest(CI)], grant: 'user' }]
  bridge.set({ auth: AuthBlock.parse({ tokens, grants: { user: { tiers: ['user'] } } }) })
  const authorization = `Bearer ${CI}`
  expect(
    await untilAnswer(
      () => read({ authorization }),
      (count) => count !== undefined,
    ),
  ).toBe('null')
  finish()
  await call
})
