import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { strangerPairs } from './stranger-pairs.ts'
import { strangerRuns } from './stranger-runs.ts'
import { strangerReconnects, strangerScenarios } from './strangers.ts'

const cleanup = createCleanup()
let stack: Stack
let demo: Child

const ENTRY = new URL('../official-worker/main.ts', import.meta.url)
const start = (workerName = 'demo') =>
  startChild({ name: workerName, entry: ENTRY, args: [stack.engineUrl, workerName] })

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  demo = cleanup.use(start())
  const isServed = async () => {
    const [tools, prompts] = await Promise.all(
      ['tools/list', 'prompts/list'].map((list) => requestOnce(stack.mcpUrl, list)),
    )
    return JSON.stringify(tools).includes('"demo__add"') && JSON.stringify(prompts).includes('"greet"')
  }
  await until(isServed, { what: 'the official worker to be served', deadlineMs: 25_000 })
})
afterAll(() => cleanup.run())

for (const kind of CLIENT_KINDS) {
  scenario(['tools/official-sdk'], `${kind} calls the functions of a worker on the official SDK`, async () => {
    await using client = await stack.connect(kind)
    const tool = (await client.listTools()).find(({ name }) => name === 'demo__add')
    expect(tool).toMatchObject({ description: 'Adds two numbers.', inputSchema: { required: ['a', 'b'] } })
    expect((await client.callTool('demo__add', { a: 2, b: 40 })).structuredContent).toEqual({ sum: 42 })
    const failed = await client.callTool('demo__boom')
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('The demo exploded') }] })
    expect(failed.content[0]?.text).not.toMatch(/\bat .+:\d+/)
  })
}

scenario(['tools/official-sdk'], 'its skill, section and prompt are served too', async () => {
  await using client = await stack.connect('sdk 1.x')
  const [skill] = await client.readResource('iii://demo')
  expect(skill?.text).toContain('A demo worker.')
  const [section] = await client.readResource('iii://fn/demo/guide')
  expect(section?.text).toBe('# Demo guide\n\nThe long-form docs for the demo worker.')
  const prompt = await client.getPrompt('greet', { name: 'Ada' })
  expect(prompt.messages).toMatchObject([{ role: 'user', content: { type: 'text', text: 'Greet Ada warmly.' } }])
})

strangerScenarios(() => ({ prefix: 'demo', stack }))
strangerRuns(() => ({ prefix: 'demo', stack }))
strangerReconnects(() => ({ prefix: 'demo', stack }))

scenario(['tools/live'], 'a worker that leaves takes its tools with it', async () => {
  await using client = await stack.connect('sdk 1.x')
  await demo.stop()
  const isGone = async () => (await client.listTools()).every(({ name }) => !name.startsWith('demo__'))
  await until(isGone, { what: 'the tools of the worker that left to go' })
  // What the gate knows of a function may be a second old.
  const isUnknown = () =>
    client.callTool('demo__add', { a: 1, b: 1 }).then(
      () => false,
      (error: Error) => error.message.includes('Unknown tool: demo__add'),
    )
  await until(isUnknown, { what: 'the tool to be unknown', deadlineMs: 5000 })
})

strangerPairs(() => ({ prefix: 'demo', stack, start }))
