import { readMcpSidecar } from '@iii/protocol'
import { expect } from 'vitest'
import { forge } from '../bad-input.ts'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { sendHttp } from '../http-request.ts'
import {
  type IdentityHeaders,
  openSession,
  openSessionStream,
  postMessage,
  postRequest,
  postStateless,
} from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Bearer, createBearer } from '../token-file.ts'
import { until } from '../until.ts'

/** Ada's token is being replaced. */
const [ADA, ADA_NEXT, BOB] = [createBearer('ada'), createBearer('ada'), createBearer('bob')]
const NOTE = 'db://e2e-owned'
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}
const CAPABLE = { elicitation: {} }
const answerOf = (name: string) => ({ action: 'accept', content: { name } })

/** The answers that came to the function that asks. */
const answered: unknown[] = []

const shared = useBridgesOfFile({
  entitled: [ADA, ADA_NEXT, BOB].map((bearer) => ({ bearer })),
  paths: ['/mcp', '/beside'],
  offer(worker) {
    worker.registerFunction('e2e-owned::ask', (_, metadata) => {
      const who = readMcpSidecar(metadata)?.input_responses?.['who']
      if (who === undefined)
        return { result_type: 'input_required', input_requests: { who: FORM }, request_state: 'kept' }
      answered.push(who)
      return { who }
    })
    worker.registerFunction('e2e-owned::note', () => 'a note', {
      metadata: { mcp: { resource: { uri: NOTE, name: 'note' } } },
    })
  },
})

/** All that is said in answer to a request, but when. */
async function tell(url: string, method: string, headers: Readonly<Record<string, string>>) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const typed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const reply = await sendHttp(url, { method, headers: typed, ...(method === 'POST' ? { body } : {}) })
  const { date: _, ...said } = reply.headers
  return { ...reply, headers: said }
}

async function expectOwnSession(mine: IdentityHeaders): Promise<void> {
  const id = String(mine['mcp-session-id'])
  const toOther = (session: string) => ({ ...mine, ...BOB.headers, 'mcp-session-id': session })
  for (const url of shared.urls) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const told = await tell(url, method, toOther(id))
      expect([method, told.status, told]).toEqual([method, 404, await tell(url, method, toOther(forge(id)))])
    }
    for (const { headers } of [ADA, ADA_NEXT]) {
      const [pong] = await postRequest(url, { ...mine, ...headers }, 'ping').over
      expect(pong?.result).toEqual({})
    }
  }
}

scenario(
  ['access/owned'],
  'a session is for another token one that nobody has opened, and goes on undisturbed, after a restart too',
  async () => {
    const { stack, restart } = shared
    const mine = await openSession(stack.mcpUrl, {}, '2025-11-25', ADA.headers)
    const [subscribed] = await postRequest(stack.mcpUrl, mine, 'resources/subscribe', { uri: NOTE }).over
    expect(subscribed?.result).toEqual({})
    using stream = openSessionStream(stack.mcpUrl, mine)
    expect(await stream.status).toBe(200)
    await expectOwnSession(mine)
    await stack.worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'resource', uri: NOTE } })
    const message = await until(() => stream.messages[0], { what: 'the stream to go on' })
    expect(message).toMatchObject({ method: 'notifications/resources/updated', params: { uri: NOTE } })
    await restart()
    await expectOwnSession(mine)
  },
)

scenario(
  ['access/owned'],
  'a question is answered in vain with another token, whichever session it names, at each bridge',
  async () => {
    const { mcpUrl } = shared.stack
    answered.length = 0
    const open = ({ headers }: Bearer) => openSession(mcpUrl, CAPABLE, '2025-11-25', headers)
    const [mine, other] = [await open(ADA), await open(BOB)]
    const reply = postRequest(mcpUrl, mine, 'tools/call', { name: 'e2e-owned__ask' })
    const { id } = await until(() => reply.messages[0], { what: 'the question' })
    for (const url of shared.urls) {
      const answer = (as: IdentityHeaders) => postMessage(url, as, { id, result: answerOf('Mallory') })
      expect(await answer(other)).toBe(202)
      expect(await answer(BOB.headers)).toBe(202)
      expect(await answer({ ...mine, ...BOB.headers })).toBe(404)
    }
    const [, beside = ''] = shared.urls
    expect(await postMessage(beside, mine, { id, result: answerOf('Ada') })).toBe(202)
    expect((await reply.over).at(-1)?.result?.['structuredContent']).toEqual({ who: answerOf('Ada') })
    expect(answered).toEqual([answerOf('Ada')])
  },
)

/** Asks without a session, as a client that can be asked and takes tasks. */
async function ask(url: string, who: Bearer, method: string, params: Readonly<Record<string, unknown>>) {
  const [message] = await postStateless(url, method, params, CAPABLE, who.headers).over
  return message?.result ?? { error: message?.error }
}

scenario(
  ['access/owned'],
  'a request state is another token’s at no bridge, and its principal’s at each, after a restart too',
  async () => {
    const call = (url: string, who: Bearer, more: object = {}) =>
      ask(url, who, 'tools/call', { name: 'e2e-owned__ask', ...more })
    const inputResponses = { who: answerOf('Ada') }
    const { requestState } = await call(shared.stack.mcpUrl, ADA)
    const expectOwned = async () => {
      for (const url of shared.urls) {
        const his = await call(url, BOB, { inputResponses, requestState })
        expect(his).toMatchObject({ error: { code: -32602 } })
        expect(his).toEqual(await call(url, BOB, { inputResponses, requestState: forge(String(requestState)) }))
        for (const hers of [ADA, ADA_NEXT]) {
          const reply = await call(url, hers, { inputResponses, requestState })
          expect(reply).toMatchObject({ structuredContent: { who: answerOf('Ada') } })
        }
      }
    }
    await expectOwned()
    await shared.restart()
    await expectOwned()
  },
)
