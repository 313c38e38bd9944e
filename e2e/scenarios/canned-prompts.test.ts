import { afterAll, beforeAll, expect } from 'vitest'
import { hasFunctions } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { readCode, runSnippet } from '../snippet.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** What the bridge prints is copied, saved, run and used. */
let stack: Stack

beforeAll(async () => {
  stack = await startStack({ workers: ['bridge'] })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const SDKS = ['iii-sdk', '@iii/sdk'] as const

/** Runs the code of a prompt; with our SDK, the import is changed as the prompt says. */
async function run(sdk: (typeof SDKS)[number], name: string, input: Record<string, string>) {
  await using client = await stack.connect('sdk 1.x')
  const { messages } = await client.getPrompt(name, input)
  const text = messages.map(({ content }) => (content as { text: string }).text).join('')
  expect(text).toContain('`npm install iii-sdk`')
  const code = readCode(text, 'js').replace("from 'iii-sdk'", `from '${sdk}'`)
  return await runSnippet({ file: 'worker.mjs', code, engineUrl: stack.engineUrl })
}

for (const sdk of SDKS) {
  scenario(['canned-prompts/code'], `register-function on ${sdk} offers a tool`, async () => {
    await using snippet = await run(sdk, 'register-function', { language: 'node', function_id: 'printed::greet' })
    // This client keeps a list for the time that the bridge tells it.
    await until(() => hasFunctions(stack.worker, ['printed::greet']), { what: 'it', signal: isGone(snippet) })
    await using client = await stack.connect('client 2.x on 2026-07-28')
    const isListed = async () => (await client.listTools()).find(({ name }) => name === 'printed__greet')
    const tool = await until(isListed, { what: 'the tool', signal: isGone(snippet) })
    expect(tool).toMatchObject({ inputSchema: { properties: { name: { type: 'string' } } } })
    const result = await client.callTool('printed__greet', { name: 'Ada' })
    expect(result.structuredContent).toEqual({ greeting: 'Hello, Ada' })
  })

  scenario(['canned-prompts/code'], `build-api on ${sdk} answers requests`, async () => {
    await using snippet = await run(sdk, 'build-api', { method: 'post', path: 'printed/:id' })
    const url = `${stack.httpUrl}/printed/7?deep=yes`
    const post = async () => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body: '{"name":"Ada"}' })
      return response.ok && ((await response.json()) as object)
    }
    expect(await until(post, { what: 'the route', signal: isGone(snippet) })).toEqual({
      path_params: { id: '7' },
      query_params: { deep: 'yes' },
      body: { name: 'Ada' },
    })
  })

  scenario(['canned-prompts/code'], `setup-cron on ${sdk} runs when it is due`, async () => {
    await using snippet = await run(sdk, 'setup-cron', { schedule: '* * * * * *' })
    await snippet.child.line(/^due at \d{4}-\d\d-\d\dT/)
  })

  scenario(['canned-prompts/code'], `event-pipeline on ${sdk} works on what was sent`, async () => {
    await using snippet = await run(sdk, 'event-pipeline', {})
    const ids = ['pipeline::accept', 'pipeline::process']
    await until(() => hasFunctions(stack.worker, ids), { what: 'its functions', signal: isGone(snippet) })
    const post = async () => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${stack.httpUrl}/pipeline`, { method: 'POST', headers, body: '{"order":"o-1"}' })
      return response.status === 202 && ((await response.json()) as object)
    }
    expect(await until(post, { what: 'the route', signal: isGone(snippet) })).toEqual({ accepted: true })
    await snippet.child.line(/^processed \{.*"order":"o-1".*\}$/)
  })
}

/** Aborted when the copied program has ended by itself: nothing is waited for then. */
function isGone({ child }: Awaited<ReturnType<typeof run>>): AbortSignal {
  const gone = new AbortController()
  void child.exited.then(() => gone.abort(new Error(child.stderr.join('\n'))))
  return gone.signal
}
