import { readMcpSidecar } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { forge } from '../bad-input.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { openSession, postMessage, postRequest, postStateless, type SentMessage } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

const FORM = {
  method: 'elicitation/create',
  params: { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}
const ASKABLE = { elicitation: {} }
const accept = (name: string) => ({ action: 'accept', content: { name } })

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  const ask = (input: unknown, metadata: unknown) => {
    const { input_responses: answers, request_state: state } = readMcpSidecar(metadata) ?? {}
    if (answers?.['who'] !== undefined) return { answers, state }
    const request_state = `kept: ${JSON.stringify(input)}`
    return { result_type: 'input_required', input_requests: { who: FORM }, request_state }
  }
  worker.registerFunction('ask::who', ask)
  worker.registerFunction('ask::else', ask)
  await until(() => hasFunctions(worker, ['ask::else']), { what: 'the functions to be there' })
})
afterAll(() => cleanup.run())

scenario(['asking/session'], 'another session can neither answer a question nor guess it', async () => {
  const [mine, other] = [await openSession(stack.mcpUrl, ASKABLE), await openSession(stack.mcpUrl, ASKABLE)]
  const reply = postRequest(stack.mcpUrl, mine, 'tools/call', { name: 'ask__who', arguments: { a: 1 } })
  const question = await until(() => reply.messages[0], { what: 'the question' })
  expect(question).toMatchObject(FORM)
  const answer = (session: typeof mine, id: unknown, name: string) =>
    postMessage(stack.mcpUrl, session, { id, result: accept(name) })
  expect(await answer(other, question.id, 'Mallory')).toBe(202)
  expect(await answer({}, question.id, 'Mallory')).toBe(202)
  expect(await answer(mine, `${question.id}0`, 'Mallory')).toBe(202)
  expect(await answer(mine, question.id, 'Ada')).toBe(202)
  const messages = await reply.over
  expect(messages).toHaveLength(2)
  expect(messages[1]?.result?.['structuredContent']).toEqual({
    answers: { who: accept('Ada') },
    state: 'kept: {"a":1}',
  })
})

async function call(params: object, capabilities: object = ASKABLE): Promise<SentMessage> {
  const request = { name: 'ask__who', arguments: { a: 1, b: 2 }, ...params }
  const [message] = await postStateless(stack.mcpUrl, 'tools/call', request, capabilities).over
  if (message === undefined) throw new Error('there was no reply')
  return message
}

scenario(['asking/sealed'], 'the state opens for its request, and for nothing else', async () => {
  const { result: first } = await call({})
  expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { who: FORM } })
  const requestState = String(first?.['requestState'])
  expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain('kept')
  const answered = { inputResponses: { who: accept('Ada') }, requestState }
  const { result } = await call({ ...answered, arguments: { b: 2, a: 1 } })
  expect(result?.['structuredContent']).toMatchObject({ state: 'kept: {"a":1,"b":2}' })

  const changed = [`${requestState}A`, forge(requestState), requestState.slice(0, 30), 'x', '', 5, null]
  const misused = [
    ...changed.map((state) => ({ ...answered, requestState: state })),
    { ...answered, arguments: { a: 1, b: 3 } },
    { ...answered, name: 'ask__else' },
    { ...answered, inputResponses: { who: 7 } },
  ]
  for (const params of misused)
    expect((await call(params)).error, JSON.stringify(params)).toMatchObject({ code: -32602 })
})

scenario(['asking/sealed'], 'a client that did not declare it reads what it lacks, and is not asked', async () => {
  const { error } = await call({}, {})
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
})

scenario(['asking/sealed'], 'a state is still good after a restart of the bridge', async () => {
  const { result } = await call({})
  await stack.stop('mcp')
  await stack.startBridge()
  const again = await call({ inputResponses: { who: accept('Ada') }, requestState: result?.['requestState'] })
  expect(again.result?.['structuredContent']).toMatchObject({ answers: { who: accept('Ada') } })
})
