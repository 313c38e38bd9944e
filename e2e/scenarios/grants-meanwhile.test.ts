import { readMcpSidecar } from '@iii/protocol'
import { beforeEach, expect } from 'vitest'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { openSession, postMessage, postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Bearer, createBearer, saveTokens } from '../token-file.ts'
import { until } from '../until.ts'

const [ADA, BOB] = [createBearer('ada'), createBearer('bob')]
const toEntitled = (ada: readonly string[]) => [
  { bearer: ADA, grant: { tiers: ada } },
  { bearer: BOB, grant: { tiers: ['bob'] } },
]
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}
const ANSWER = { action: 'accept', content: {} }
const CAPABLE = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** Whether the function that asks was answered, at each of its calls. */
const calls: boolean[] = []

const shared = useBridgesOfFile({
  entitled: toEntitled(['ada']),
  offer(worker) {
    const ask = (_: unknown, metadata: unknown) => {
      const isAnswered = readMcpSidecar(metadata)?.input_responses !== undefined
      calls.push(isAnswered)
      return isAnswered ? 'sure' : { result_type: 'input_required', input_requests: { sure: FORM }, request_state: 's' }
    }
    const tell = (_: unknown, metadata: unknown) => readMcpSidecar(metadata)?.principal?.id
    worker.registerFunction('e2e-while::ask', ask, { metadata: { mcp: { tier: 'ada' } } })
    worker.registerFunction('e2e-while::ask-later', ask, { metadata: { mcp: { tier: 'ada', task: 'optional' } } })
    for (const name of ['ada', 'bob'])
      worker.registerFunction(`e2e-while::${name}`, tell, { metadata: { mcp: { tier: name } } })
  },
})

async function ask(method: string, params: Readonly<Record<string, unknown>>) {
  const [message] = await postStateless(shared.stack.mcpUrl, method, params, CAPABLE, ADA.headers).over
  return message?.result ?? { error: message?.error }
}

/** What whoever was asked reads of a function that is hidden, or has left, meanwhile. */
const LEFT = 'went away while the client was asked'

/** What a caller is told in one message. */
async function read({ headers }: Bearer, method: string, params: object = {}): Promise<string> {
  return JSON.stringify(await postRequest(shared.stack.mcpUrl, headers, method, params).over)
}

/** Narrows or widens her grant, and waits until it counts. */
async function grant(tiers: readonly string[]): Promise<void> {
  await saveTokens(shared.file, toEntitled(tiers))
  const counts = async () => (await read(ADA, 'tools/list')).includes('e2e-while__ada') === tiers.includes('ada')
  await until(counts, { what: 'the grant to count' })
}

beforeEach(async () => {
  await grant(['ada'])
  calls.length = 0
})

scenario(
  ['access/hidden'],
  'a function that waits for an answer is as if it were not there, once the grant does not name it any more',
  async () => {
    const { mcpUrl } = shared.stack
    const session = await openSession(mcpUrl, CAPABLE, '2025-11-25', ADA.headers)
    using reply = postRequest(mcpUrl, session, 'tools/call', { name: 'e2e-while__ask' })
    const { id } = await until(() => reply.messages[0], { what: 'the question' })
    const { requestState } = await ask('tools/call', { name: 'e2e-while__ask' })
    const { taskId } = await ask('tools/call', { name: 'e2e-while__ask-later' })
    const statusOf = async () => String((await ask('tasks/get', { taskId }))['status'])
    await until(async () => (await statusOf()) === 'input_required', { what: 'the task to ask' })
    await grant([])
    const inputResponses = { sure: ANSWER }
    const retry = (name: string) => ask('tools/call', { name, inputResponses, requestState })
    const [hidden, absent] = [await retry('e2e-while__ask'), await retry('e2e-while__osk')]
    const toNothing = (told: unknown) => JSON.stringify(told).replaceAll('e2e-while__ask', 'e2e-while__osk')
    expect(toNothing(hidden)).toBe(JSON.stringify(absent))
    expect(await postMessage(mcpUrl, session, { id, result: ANSWER })).toBe(202)
    const { result } = (await reply.over).at(-1) ?? {}
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(LEFT) }] })
    await ask('tasks/update', { taskId, inputResponses })
    await until(async () => (await statusOf()) === 'completed', { what: 'the task to be over' })
    const told = { isError: true, content: [{ text: expect.stringContaining(LEFT) }] }
    expect(await ask('tasks/get', { taskId })).toMatchObject({ result: told })
    expect(calls).toEqual([false, false, false])
  },
)
