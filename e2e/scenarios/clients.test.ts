import { readMcpSidecar } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { connectToEngine } from '../facts.ts'
import { connectHost, type FormAnswer } from '../hosts.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: ConformanceStack

beforeAll(async () => {
  stack = cleanup.use(await startConformanceStack())
})
afterAll(() => cleanup.run())

const accept = (content: Record<string, string | boolean>) => (): FormAnswer => ({ action: 'accept', content })
const textOf = ({ content }: { content: { text?: string | undefined }[] }) => content.map(({ text }) => text).join('')

for (const kind of CLIENT_KINDS) {
  scenario(['clients/content'], `${kind} gets images, sounds and resources as they are`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    const types = async (name: string) => (await host.call(name)).content.map(({ type }) => type)
    expect(await types('test_image_content')).toEqual(['image'])
    expect(await types('test_audio_content')).toEqual(['audio'])
    expect(await types('test_embedded_resource')).toEqual(['resource'])
    expect(await types('test_multiple_content_types')).toEqual(['text', 'image', 'resource'])
  })

  scenario(['clients/progress'], `${kind} hears how far a call is, in order and before its result`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    const steps: unknown[] = []
    const result = await host.call('test_tool_with_progress', {}, { onProgress: (step) => void steps.push(step) })
    expect(steps).toEqual([0, 50, 100].map((progress) => ({ progress, total: 100 })))
    expect(textOf(result)).toBe('Done in three steps.')
    expect(textOf(await host.call('test_tool_with_progress'))).toBe('Done in three steps.')
  })

  scenario(['clients/log'], `${kind} hears what a function logs, from the level on that it wants`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    await host.call('test_tool_with_logging', {}, { logLevel: 'error' })
    expect(host.heard).toEqual([])
    await host.call('test_tool_with_logging', {}, { logLevel: 'debug' })
    await until(() => host.heard.length === 3, { what: 'three messages' })
    expect(host.heard.map(({ method, params }) => [method, params?.['data']])).toEqual(
      ['started', 'processing data', 'completed'].map((what) => [
        'notifications/message',
        what === 'processing data' ? `Tool ${what}` : `Tool execution ${what}`,
      ]),
    )
  })

  scenario(['clients/ask'], `${kind} is asked by a tool, and the tool goes on with the answer`, async () => {
    const answers = { elicitation: accept({ name: 'Ada' }), sampling: 'Paris', roots: ['file:///home/ada'] }
    await using host = await connectHost(kind, stack.mcpUrl, answers)
    const ask = async (what: string) => textOf(await host.call(`test_input_required_result_${what}`))
    expect(await ask('elicitation')).toBe('Hello, Ada!')
    expect(await ask('sampling')).toContain('Paris')
    expect(await ask('list_roots')).toContain('file:///home/ada')
    expect(host.asked.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ])
    expect(await ask('multiple_inputs')).toMatch(/Ada.+Paris.+file:\/\/\/home\/ada/s)
    expect(host.asked).toHaveLength(6)
  })

  scenario(['clients/ask'], `${kind} is asked in several rounds, by a prompt, and may decline`, async () => {
    const answer = (params: Readonly<Record<string, unknown>>): FormAnswer => {
      const message = String(params['message'])
      if (message.startsWith('Step 1')) return { action: 'accept', content: { name: 'Ada' } }
      if (message.startsWith('Step 2')) return { action: 'accept', content: { color: 'blue' } }
      if (message.includes('context')) return { action: 'accept', content: { context: 'tea' } }
      return { action: 'decline' }
    }
    await using host = await connectHost(kind, stack.mcpUrl, { elicitation: answer })
    expect(textOf(await host.call('test_input_required_result_multi_round'))).toBe('Ada likes blue.')
    expect(JSON.stringify(await host.getPrompt('test_input_required_result_prompt'))).toContain('Mind this: tea')
    const declined = await host.call('test_elicitation', { message: 'Who are you?' })
    expect(textOf(declined)).toBe('Elicitation completed: action=decline, content={}')
  })

  scenario(['clients/ask'], `${kind} reads what it would have been asked when it cannot be asked`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    const outcome = await host.call('test_input_required_result_elicitation').then(
      ({ isError, content }) => ({ isError, text: textOf({ content }) }),
      ({ code, message }) => ({ isError: code === -32_021, text: String(message) }),
    )
    expect(outcome).toEqual({ isError: true, text: expect.stringMatching(/elicitation/i) })
  })

  scenario(['clients/cancel'], `${kind} gives a call up, and the function is told`, async () => {
    await using patient = await startPatient(stack.engineUrl)
    await using host = await connectHost(kind, stack.mcpUrl)
    const given = new AbortController()
    const call = host.call('patient__wait', {}, { signal: given.signal })
    await until(() => patient.waiting.size === 1, { what: 'the function to be called' })
    given.abort()
    await expect(call).rejects.toThrow()
    await until(() => patient.waiting.size === 0, { what: 'the function to be told' })
  })

  scenario(['clients/live'], `${kind} hears of changed lists and of a changed resource`, async () => {
    const uri = 'test://watched-resource'
    await using host = await connectHost(kind, stack.mcpUrl)
    await host.watch(uri)
    const hears = (method: string) =>
      until(() => host.heard.some((said) => said.method === method), { what: `${kind} to hear ${method}` })
    await host.call('test_trigger_tool_change')
    await hears('notifications/tools/list_changed')
    await host.call('test_trigger_prompt_change')
    await hears('notifications/prompts/list_changed')
    const worker = connectToEngine(stack.engineUrl, 'announcer')
    await using _ = { [Symbol.asyncDispose]: () => worker.shutdown() }
    await worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'resource', uri } })
    await hears('notifications/resources/updated')
    expect(host.heard.find(({ method }) => method === 'notifications/resources/updated')?.params?.['uri']).toBe(uri)
  })

  scenario(['clients/complete'], `${kind} gets arguments completed`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    expect(await host.complete('test_prompt_with_arguments', 'arg1', 'par')).toEqual(['paris', 'park', 'party'])
    expect(await host.complete('test_simple_prompt', 'nothing', 'x')).toEqual([])
  })

  scenario(['clients/resources'], `${kind} reads resources of functions, by address and by template`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    const uri = 'test://template/7%2F8/data'
    const [content] = await host.read(uri)
    expect(content).toMatchObject({ uri, mimeType: 'application/json' })
    expect(JSON.parse(content?.text ?? '')).toMatchObject({ id: '7/8' })
    expect((await host.read('test://static-binary'))[0]?.blob).toMatch(/^iVBOR/)
  })

  scenario(['clients/resume'], `${kind} gets a result whose stream was ended on the way`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    const steps: number[] = []
    const result = await host.call('test_reconnection', {}, { onProgress: ({ progress }) => void steps.push(progress) })
    expect(textOf(result)).toBe('The result came after the stream was closed.')
  })
}

/** A function that waits until it is told that nobody does any more. */
async function startPatient(engineUrl: string): Promise<{ waiting: ReadonlyMap<string, unknown> } & AsyncDisposable> {
  const worker = connectToEngine(engineUrl, 'patient')
  const waiting = new Map<string, () => void>()
  worker.registerFunction(
    'patient::wait',
    (_payload, metadata) => {
      const callId = readMcpSidecar(metadata)?.call_id ?? ''
      return new Promise((resolve) => waiting.set(callId, () => resolve('given up')))
    },
    { metadata: { 'mcp.cancel': 'patient::cancel' } },
  )
  worker.registerFunction('patient::cancel', ({ call_id }: { call_id: string }) => {
    waiting.get(call_id)?.()
    waiting.delete(call_id)
    return {}
  })
  await worker.ready({ timeoutMs: 5000 })
  return {
    waiting,
    [Symbol.asyncDispose]: () => worker.shutdown(),
  }
}
