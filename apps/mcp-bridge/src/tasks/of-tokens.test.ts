import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless } from '../testing/bridge.ts'
import { CAN, offerJob } from '../testing/tasks.ts'
import { until } from '../testing/until.ts'

const [CI, DESK] = [createToken(), createToken()]

it('beyond the limit of its token a task is refused with 429, and another token begins its own', async () => {
  await using engine = await startMockEngine()
  const auth = AuthBlock.parse({
    tokens: [
      { name: 'ci', hash: [toDigest(CI)], grant: 'all', limits: { tasks: 1 } },
      { name: 'desk', hash: [toDigest(DESK)], grant: 'all' },
    ],
    grants: { all: {} },
  })
  await using bridge = await startBridge(engine, { options: { auth } })
  offerJob(bridge.other, 'jobs::long', { 'mcp.task': 'required' })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  const begin = (token: string) => {
    const { meta, headers } = stateless('tools/call', 'jobs__long')
    const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': CAN }
    const params = { name: 'jobs__long', arguments: {}, _meta }
    return bridge.rpc('tools/call', params, { ...headers, ...as(token) })
  }
  await until(
    () => bridge.rpc('tools/list', {}, as(CI)),
    ({ text }) => text.includes('jobs__long'),
  )
  expect((await begin(CI)).message.result).toMatchObject({ resultType: 'task' })
  const second = await begin(CI)
  expect([second.status, second.headers.get('retry-after'), second.message.error]).toMatchObject([
    429,
    '1',
    {
      code: -32003,
      message: 'Too many tasks: this caller has 1 running, which is its limit; try again when some are over',
    },
  ])
  expect((await begin(DESK)).message.result).toMatchObject({ resultType: 'task' })
})
