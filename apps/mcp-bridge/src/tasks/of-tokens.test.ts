import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless } from '../testing/bridge.ts'
import { CAN, offerJob, TASK } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

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
  await untilAnswer(
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

it('a task of one token is for another as if there were none, also on a bridge that came after its own', async () => {
  await using engine = await startMockEngine()
  const held = { ci: CI, desk: DESK }
  const auth = AuthBlock.parse({
    tokens: Object.entries(held).map(([name, token]) => ({ name, hash: [toDigest(token)], grant: 'all' })),
    grants: { all: {} },
  })
  await using author = registerAuthor(engine.url)
  const job = offerJob(author.worker, 'jobs::long')
  author.worker.registerFunction('jobs::quick', () => 'quick', TASK)
  await author.worker.ready()
  const options = { options: { auth }, limits: { awayMs: 0 } }
  const before = await startBridge(engine, options)
  const ask = async (
    bridge: Pick<typeof before, 'rpc'>,
    who: keyof typeof held,
    method: string,
    params: Record<string, unknown>,
  ) => {
    const { meta, headers } = stateless(method, String(params['taskId'] ?? params['name']))
    const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': CAN }
    return bridge.rpc(method, { ...params, _meta }, { ...headers, authorization: `Bearer ${held[who]}` })
  }
  const begin = async (name: string) => {
    const { message, text } = await ask(before, 'ci', 'tools/call', { name, arguments: {} })
    const taskId = message.result?.['taskId']
    if (typeof taskId !== 'string') throw new Error(text)
    return taskId
  }
  const [quick, long] = [await begin('jobs__quick'), await begin('jobs__long')]
  const statusOf = async (bridge: Pick<typeof before, 'rpc'>, taskId: string) =>
    (await ask(bridge, 'ci', 'tasks/get', { taskId })).message.result?.['status']
  await untilAnswer(
    () => statusOf(before, quick),
    (status) => status === 'completed',
  )
  await job.called()

  const expectNone = async (bridge: Pick<typeof before, 'rpc'>) => {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const nothing = quick.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      const answers = [quick, long, nothing].map(async (taskId) => {
        const { status, text } = await ask(bridge, 'desk', method, { taskId, inputResponses: {} })
        return [method, status, text.replaceAll(taskId, 'ID').replace(/"id":\d+/, '')]
      })
      const [ofQuick, ofLong, ofNothing] = await Promise.all(answers)
      expect([ofQuick, ofLong]).toEqual([ofNothing, ofNothing])
      expect(ofNothing).toEqual([method, 200, expect.stringContaining('"Unknown task: ID"')])
    }
  }
  await using beside = await startBridge(engine, { ...options, options: { auth, apiPath: '/beside' } })
  await expectNone(before)
  await expectNone(beside)
  await before[Symbol.asyncDispose]()
  await using after = await startBridge(engine, options)
  await expectNone(after)
  expect(await statusOf(after, quick)).toBe('completed')
  // Nobody else has ended it: its outcome is what became of its bridge.
  const { message } = await ask(after, 'ci', 'tasks/get', { taskId: long })
  expect(message.result?.['status']).not.toBe('cancelled')
})

function registerAuthor(url: string) {
  const worker = registerWorker(url, { name: 'author' })
  return { worker, [Symbol.asyncDispose]: () => worker.shutdown() }
}
