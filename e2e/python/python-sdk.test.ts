import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { hasFunctions, requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { strangerPairs } from '../scenarios/stranger-pairs.ts'
import { strangerRuns } from '../scenarios/stranger-runs.ts'
import { strangerReconnects, strangerScenarios } from '../scenarios/strangers.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** The Python worker beside the one in TypeScript, on one engine. */
const cleanup = createCleanup()
let stack: Stack
let py: Child

const ENTRY = new URL('./worker.py', import.meta.url)
const start = (workerName = 'py') =>
  startChild({ name: workerName, interpreter: inject('python'), entry: ENTRY, args: [stack.engineUrl, workerName] })

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  const official = new URL('../official-worker/main.ts', import.meta.url)
  cleanup.use(startChild({ name: 'demo', entry: official, args: [stack.engineUrl] }))
  await until(() => hasFunctions(stack.worker, ['demo::events']), { what: 'the worker in TypeScript' })
  py = cleanup.use(start())
  const isServed = async () => {
    if (!py.running) throw new Error(py.stderr.join('\n'))
    const [tools, prompts] = await Promise.all(
      ['tools/list', 'prompts/list'].map((list) => requestOnce(stack.mcpUrl, list)),
    )
    return JSON.stringify(tools).includes('"py__add"') && JSON.stringify(prompts).includes('"greet-py"')
  }
  await until(isServed, { what: 'the Python worker to be served', deadlineMs: 45_000 })
})
afterAll(() => cleanup.run())

for (const kind of CLIENT_KINDS) {
  scenario(['tools/official-sdk'], `${kind} calls the functions of a worker in Python`, async () => {
    await using client = await stack.connect(kind)
    const tool = (await client.listTools()).find(({ name }) => name === 'py__add')
    expect(tool).toMatchObject({
      title: 'Add',
      description: 'Adds two numbers.',
      inputSchema: { required: ['a', 'b'] },
      outputSchema: { properties: { sum: { type: 'number' } } },
      annotations: { readOnlyHint: true },
    })
    expect((await client.callTool('py__add', { a: 2, b: 40 })).structuredContent).toEqual({ sum: 42 })
    const failed = await client.callTool('py__boom')
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'Error: The demo exploded' }] })
  })
}

scenario(['tools/official-sdk'], 'its skill, section and prompt are served too', async () => {
  await using client = await stack.connect('sdk 1.x')
  expect((await client.readResource('iii://py'))[0]?.text).toContain('A worker in Python.')
  expect((await client.readResource('iii://fn/py/guide'))[0]?.text).toContain('# Python guide')
  const prompt = await client.getPrompt('greet-py', { name: 'Ada' })
  expect(prompt.messages).toMatchObject([{ content: { text: 'Greet Ada warmly.' } }])
})

strangerScenarios(() => ({ prefix: 'py', stack }))
strangerRuns(() => ({ prefix: 'py', stack }))

const pairs = [
  ['demo', 'py'],
  ['py', 'demo'],
] as const
for (const [from, to] of pairs) {
  scenario(['stranger/calls', 'stranger/errors'], `${from} calls ${to}`, async () => {
    const call = (function_id: string, payload = {}) =>
      stack.worker.trigger({ function_id: `${from}::relay`, payload: { function_id, payload } })
    expect(await call(`${to}::add`, { a: 1, b: 2 })).toEqual({ result: { sum: 3 } })
    expect(await call(`${to}::boom`)).toMatchObject({ error: { code: 'invocation_failed' } })
  })

  scenario(['stranger/channels'], `${from} streams to ${to}`, async () => {
    const payload = { into: `${to}::drain`, text: 'abcdefghijkl', times: 5000 }
    const drained = await stack.worker.trigger({ function_id: `${from}::pour`, payload })
    expect(drained).toEqual({ messages: ['begin'], bytes: 60_000, end: 'abcdefghijkl' })
  })
}

strangerReconnects(() => ({ prefix: 'py', stack }))

scenario(['tools/live'], 'a worker in Python that leaves takes its tools with it', async () => {
  await py.stop()
  const isGone = async () => !JSON.stringify(await requestOnce(stack.mcpUrl, 'tools/list')).includes('"py__add"')
  await until(isGone, { what: 'the tools of the worker that left to go' })
})

strangerPairs(() => ({ prefix: 'py', stack, start }))
