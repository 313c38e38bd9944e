import { readMcpSidecar } from '@iii/protocol'
import { registerMcpFunction } from '@iii/sdk'
import { expect } from 'vitest'
import { forge } from '../bad-input.ts'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Bearer, createBearer } from '../token-file.ts'
import { until } from '../until.ts'

const [ADA, BOB] = [createBearer('ada'), createBearer('bob')]
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}
const CAPABLE = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const answerOf = (name: string) => ({ action: 'accept', content: { name } })

/** Ends the jobs that run. */
const finish: ((value: string) => void)[] = []
/** The answers that came to the function that asks. */
const answered: unknown[] = []

const shared = useBridgesOfFile({
  entitled: [ADA, BOB].map((bearer) => ({ bearer })),
  paths: ['/mcp', '/beside'],
  offer(worker) {
    const ask = (_: unknown, metadata: unknown) => {
      const who = readMcpSidecar(metadata)?.input_responses?.['who']
      if (who === undefined) return { result_type: 'input_required', input_requests: { who: FORM } }
      answered.push(who)
      return { who }
    }
    const wait = () => new Promise<string>((resolve) => finish.push(resolve))
    worker.registerFunction('e2e-owned::ask-later', ask, { metadata: { mcp: { task: 'optional' } } })
    registerMcpFunction(worker, 'e2e-owned::job', wait, { mcp: { task: 'optional' } })
  },
})

/** Asks as a client that can be asked and takes tasks. */
async function ask(url: string, who: Bearer, method: string, params: Readonly<Record<string, unknown>>) {
  const [message] = await postStateless(url, method, params, CAPABLE, who.headers).over
  return message?.result ?? { error: message?.error }
}

/** @returns the id of a task, once it is so far */
async function begin(name: string, status: string): Promise<string> {
  const { taskId } = await ask(shared.stack.mcpUrl, ADA, 'tools/call', { name })
  await see(shared.stack.mcpUrl, String(taskId), status)
  return String(taskId)
}

const see = (url: string, taskId: string, status: string) =>
  until(async () => (await ask(url, ADA, 'tasks/get', { taskId }))['status'] === status, {
    what: `a task ${status}`,
    deadlineMs: 30_000,
  })

async function expectNone(taskIds: readonly string[]): Promise<void> {
  for (const url of shared.urls) {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const taskId of taskIds) {
        const none = `Unknown task: ${taskId}`
        const answer = await ask(url, BOB, method, { taskId, inputResponses: { who: answerOf('Mallory') } })
        expect([method, answer]).toEqual([method, { error: { code: -32602, message: none } }])
      }
    }
  }
}

scenario(
  ['access/owned'],
  'a task is another token’s at no bridge, and its principal’s at each, after a restart too',
  async () => {
    const { mcpUrl } = shared.stack
    const asks = await begin('e2e-owned__ask-later', 'input_required')
    const [runs, ends] = [await begin('e2e-owned__job', 'working'), await begin('e2e-owned__job', 'working')]
    await until(() => finish.length === 2, { what: 'the jobs to run' })
    const all = [forge(asks), asks, runs, ends]
    await expectNone(all)
    await ask(mcpUrl, ADA, 'tasks/update', { taskId: asks, inputResponses: { who: answerOf('Ada') } })
    await ask(mcpUrl, ADA, 'tasks/cancel', { taskId: ends })
    const expectOwned = (running: string) =>
      Promise.all(
        shared.urls.flatMap((url) => [
          see(url, asks, 'completed'),
          see(url, ends, 'cancelled'),
          see(url, runs, running),
        ]),
      )
    await expectOwned('working')
    await shared.restart()
    await expectNone(all)
    for (const end of finish) end('done')
    await expectOwned('completed')
    expect(answered).toEqual([answerOf('Ada')])
  },
)
