import { readMcpSidecar, toViaIds } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type IdentityHeaders, type LiveReply, openSession, postMessage, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
/** Calls that began, and those that their function was told to give up. */
const begun: string[] = []
const givenUp: string[] = []

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  const wait = (_: unknown, metadata: unknown) => {
    begun.push(readMcpSidecar(metadata)?.call_id ?? '')
    return new Promise(() => undefined)
  }
  worker.registerFunction('calls::wait', wait, { metadata: { 'mcp.cancel': 'calls::give-up' } })
  worker.registerFunction('calls::hurry', wait, { metadata: { 'mcp.cancel': 'calls::give-up', 'mcp.timeout_ms': 300 } })
  worker.registerFunction('calls::give-up', ({ call_id }: { call_id: string }) => {
    givenUp.push(call_id)
    return {}
  })
  worker.registerFunction('calls::talk', async (_: unknown, metadata: unknown) => {
    const { call_id, via = '' } = readMcpSidecar(metadata) ?? {}
    const { progress, log } = toViaIds(via)
    for (let step = 1; step <= 10; step += 1) {
      await worker.trigger({ function_id: progress, payload: { call_id, progress: step } })
      await worker.trigger({ function_id: log, payload: { call_id, level: 'error', data: step } })
    }
    return 'said'
  })
  await until(() => hasFunctions(worker, ['calls::talk']), { what: 'the functions to be there' })
})
afterAll(() => cleanup.run())

/** Calls a function that waits. @returns the reply, and the id of the call, once the function runs */
async function startWaiting(headers: IdentityHeaders, id = 1): Promise<{ reply: LiveReply; callId: string }> {
  const before = begun.length
  const reply = postRequest(stack.mcpUrl, headers, 'tools/call', { name: 'calls__wait' }, id)
  return { reply, callId: await until(() => begun[before], { what: 'the function to run' }) }
}

scenario(['calls/order'], 'progress and log arrive in turn, and then the result', async () => {
  const session = await openSession(stack.mcpUrl)
  const params = { name: 'calls__talk', _meta: { progressToken: 'p' } }
  const messages = await postRequest(stack.mcpUrl, session, 'tools/call', params).over
  const said = messages.map(({ params: told, result }) => told?.['progress'] ?? told?.['data'] ?? result?.['content'])
  const steps = Array.from({ length: 10 }, (_, at) => [at + 1, at + 1]).flat()
  expect(said).toEqual([...steps, [{ type: 'text', text: 'said' }]])
})

scenario(['calls/cancelled'], 'only its own session can cancel a call', async () => {
  const [mine, other] = [await openSession(stack.mcpUrl), await openSession(stack.mcpUrl)]
  const cancel = (session: typeof mine, requestId: unknown) =>
    postMessage(stack.mcpUrl, session, { method: 'notifications/cancelled', params: { requestId } })
  const { callId: seventh } = await startWaiting(mine, 7)
  const { callId: eighth } = await startWaiting(mine, 8)
  for (const [session, id] of [
    [other, 7],
    [{}, 7],
    [mine, '7'],
    [mine, 9],
    [mine, 8],
  ] as const) {
    expect(await cancel(session, id)).toBe(202)
  }
  await until(() => givenUp.includes(eighth), { what: 'the cancelled call to be given up' })
  expect(givenUp).not.toContain(seventh)
  await cancel(mine, 7)
  await until(() => givenUp.includes(seventh), { what: 'the other one to be given up' })
})

for (const revision of ['2025-06-18', '2025-11-25']) {
  scenario(['calls/left'], `a function is told that its client has left (${revision})`, async () => {
    const { reply, callId } = await startWaiting(await openSession(stack.mcpUrl, {}, revision))
    reply.leave()
    await until(() => givenUp.includes(callId), { what: 'the function to be told', deadlineMs: 12_000 })
  })
}

scenario(['calls/deadline'], 'a call that takes too long is given up in words', async () => {
  const [message] = await postRequest(stack.mcpUrl, {}, 'tools/call', { name: 'calls__hurry' }).over
  const text = expect.stringMatching(
    /^Error: calls::hurry did not answer within 0\.3 s\..+outcome is unknown.+timeout_ms/,
  )
  expect(message?.result).toMatchObject({ isError: true, content: [{ text }] })
  await until(() => givenUp.includes(begun.at(-1) ?? ''), { what: 'the function to be told' })
})

scenario(['calls/stopping'], 'a bridge that stops says so, in plain replies and in streams', async () => {
  const accept = { accept: 'application/json' }
  const waiting = [
    await startWaiting(accept),
    await startWaiting({}),
    await startWaiting(await openSession(stack.mcpUrl)),
  ]
  await stack.stop('mcp')
  for (const { reply } of waiting) {
    const stopping = { id: 1, error: { code: -32603, message: expect.stringMatching(/stopping.+outcome.+unknown/) } }
    expect(await reply.over).toMatchObject([stopping])
  }
})
