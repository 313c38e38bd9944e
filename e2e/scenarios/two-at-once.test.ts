import { Agent, request } from 'node:http'
import { readMcpSidecar } from '@iii/protocol'
import { afterAll, expect } from 'vitest'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { type IdentityHeaders, openSession } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { toStateless } from '../stateless.ts'
import { type Bearer, createBearer } from '../token-file.ts'
import { until } from '../until.ts'

const REQUESTS = 10_000
const AT_ONCE = 16
const [ADA, BOB] = [createBearer('ada'), createBearer('bob')]
/** Whose connections are kept, whoever asks over them. */
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
afterAll(() => agent.destroy())
/** What both may call: it tells each who asks. */
const BOTH = 'e2e-at-once__both'

const shared = useBridgesOfFile({
  entitled: [ADA, BOB].map((bearer) => ({ bearer, grant: { tiers: [bearer.name, 'both'] } })),
  offer(worker) {
    const tell = (_: unknown, metadata: unknown) => ({ asked: readMcpSidecar(metadata)?.principal?.id })
    for (const tier of ['ada', 'bob', 'both'])
      worker.registerFunction(`e2e-at-once::${tier}`, tell, { metadata: { mcp: { tier } } })
  },
})

interface Question {
  readonly who: Bearer
  readonly headers: IdentityHeaders
  readonly body: string
}

/** @returns what is answered, to the byte */
function ask({ headers, body }: Question): Promise<string> {
  const typed = { 'content-type': 'application/json', accept: 'application/json', ...headers }
  const length = { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const outgoing = request(shared.stack.mcpUrl, { method: 'POST', agent, headers: { ...typed, ...length } })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      let text = `${response.statusCode} `
      response.setEncoding('utf8')
      response.on('error', reject)
      response.on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve(text))
    })
    outgoing.end(body)
  })
}

/** All have one JSON-RPC id. */
function toQuestion(who: Bearer, method: string, params: object, headers: IdentityHeaders): Question {
  return { who, headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

/** A list and a call in each era. */
async function toQuestions(who: Bearer): Promise<readonly Question[]> {
  const session = await openSession(shared.stack.mcpUrl, {}, '2025-11-25', who.headers)
  const toStatelessQuestion = (method: string, own: Readonly<Record<string, unknown>>) => {
    const { headers, params } = toStateless(method, own)
    return toQuestion(who, method, params, { ...who.headers, ...headers })
  }
  const call = { name: BOTH, arguments: {} }
  return [
    toQuestion(who, 'tools/list', {}, session),
    toQuestion(who, 'tools/call', call, session),
    toStatelessQuestion('tools/list', {}),
    toStatelessQuestion('tools/call', call),
  ]
}

/** Asks until the functions are listed. @returns the answer, which names its reader and not the other */
async function learn(question: Question): Promise<string> {
  const [{ name }, other] = question.who === ADA ? [ADA, BOB] : [BOB, ADA]
  const words = question.body.includes('tools/list') ? [BOTH, `e2e-at-once__${name}`] : [`"asked":"token:${name}"`]
  const answer = await until(
    async () => {
      const text = await ask(question)
      return words.every((word) => text.includes(word)) && text
    },
    { what: `${name} to be answered with ${words.join(' and ')}` },
  )
  expect(answer).not.toContain(other.name)
  return answer
}

scenario(
  ['access/apart'],
  'two who list and call ten thousand times at once, with one id in both eras, are each told their own alone',
  async () => {
    const [hers, his] = [await toQuestions(ADA), await toQuestions(BOB)]
    const alternating = hers.flatMap((question, at) => [question, his[at] ?? question])
    const known: { question: Question; right: string }[] = []
    for (const question of alternating) known.push({ question, right: await learn(question) })
    const wrong: string[] = []
    let asked = 0
    const askOn = async (): Promise<void> => {
      while (asked < REQUESTS) {
        const { question, right } = known[asked++ % known.length] ?? { right: '' }
        const answer = question && (await ask(question))
        if (answer !== right) wrong.push(`${question?.who.name} asked ${question?.body}: ${answer}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, askOn))
    expect(wrong.slice(0, 4)).toEqual([])
    expect(asked).toBe(REQUESTS)
  },
)
