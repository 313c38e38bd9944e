import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { connectToEngine, listFunctions } from '../facts.ts'
import { connectHost } from '../hosts.ts'
import { runInspector, toInspectorCall } from '../inspector.ts'
import { type StdioCommand, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: ConformanceStack
let bridge: StdioCommand

beforeAll(async () => {
  stack = cleanup.use(await startConformanceStack())
  bridge = stdioBridge(stack.engineUrl)
})
afterAll(() => cleanup.run())

const textOf = ({ content }: { content: { text?: string | undefined }[] }) => content.map(({ text }) => text).join('')

for (const kind of CLIENT_KINDS) {
  scenario(['stdio/clients'], `${kind} has over stdio what it has over HTTP`, async () => {
    const answers = {
      elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) as const,
      sampling: 'Paris',
      roots: ['file:///home/ada'],
    }
    await using host = await connectHost(kind, bridge, answers)
    const steps: unknown[] = []
    const result = await host.call('test_tool_with_progress', {}, { onProgress: (step) => void steps.push(step) })
    expect(steps).toEqual([0, 50, 100].map((progress) => ({ progress, total: 100 })))
    expect(textOf(result)).toBe('Done in three steps.')
    await host.call('test_tool_with_logging', {}, { logLevel: 'debug' })
    expect(host.heard.filter(({ method }) => method === 'notifications/message')).toHaveLength(3)
    const asked = await host.call('test_input_required_result_multiple_inputs')
    expect(textOf(asked)).toMatch(/Ada.+Paris.+file:\/\/\/home\/ada/s)
    expect(host.asked).toHaveLength(3)
    expect((await host.read('test://template/7/data'))[0]?.text).toContain('7')
    expect(JSON.stringify(await host.getPrompt('test_simple_prompt'))).toContain('text')
  })

  scenario(['stdio/clients'], `${kind} hears over stdio of changed lists and of a changed resource`, async () => {
    const uri = 'test://watched-resource'
    await using host = await connectHost(kind, bridge)
    await host.watch(uri)
    const hears = (method: string) =>
      until(() => host.heard.some((said) => said.method === method), { what: `${kind} to hear ${method}` })
    await host.call('test_trigger_tool_change')
    await hears('notifications/tools/list_changed')
    const worker = connectToEngine(stack.engineUrl, 'announcer')
    await using _ = { [Symbol.asyncDispose]: () => worker.shutdown() }
    await worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'resource', uri } })
    await hears('notifications/resources/updated')
  })

  scenario(['stdio/clients'], `${kind} gives a call up over stdio, and the function is told`, async () => {
    await using host = await connectHost(kind, bridge)
    const worker = connectToEngine(stack.engineUrl, 'patient')
    await using _ = { [Symbol.asyncDispose]: () => worker.shutdown() }
    const events: string[] = []
    worker.registerFunction('hopeless::told', () => void events.push('told'))
    worker.registerFunction(
      'hopeless::wait',
      () => {
        events.push('called')
        return new Promise(() => undefined)
      },
      { metadata: { mcp: { cancel: 'hopeless::told' } } },
    )
    await worker.ready()
    const given = new AbortController()
    const call = host.call('hopeless__wait', {}, { signal: given.signal })
    await until(() => events.includes('called'), { what: 'the function to be called' })
    given.abort()
    await expect(call).rejects.toThrow()
    await until(() => events.includes('told'), { what: 'the function to be told' })
  })
}

for (const era of ['legacy', 'modern', 'auto']) {
  scenario(['stdio/clients'], `the Inspector uses the bridge over stdio in its era ${era}`, async () => {
    await using home = await createTempFolder()
    const args = ['--protocol-era', era, ...toInspectorCall('test_tool_with_progress')]
    const { code, stdout, stderr } = await runInspector(bridge, home.path, args)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/"text": "Done in three steps\."/)
  })
}

scenario(['stdio/alone'], 'two bridges of clients and one on HTTP serve three audiences at once', async () => {
  const control = connectToEngine(stack.engineUrl, 'control')
  await using _ = { [Symbol.asyncDispose]: () => control.shutdown() }
  const owners = async () =>
    (await listFunctions(control)).filter(({ function_id }) => function_id === 'mcp::handler').length
  expect(await owners()).toBe(1)
  for (const tier of ['user', 'ops']) {
    control.registerFunction(`audience::${tier}`, () => tier, { metadata: { mcp: { expose: true, tier } } })
  }
  await control.ready()
  const connect = (tier: string) => connectHost('sdk 1.x', stdioBridge(stack.engineUrl, ['--tier', tier]))
  await using user = await connect('user')
  await using ops = await connect('ops')
  await using all = await connectHost('sdk 1.x', stack.mcpUrl)
  expect([textOf(await user.call('audience__user')), textOf(await ops.call('audience__ops'))]).toEqual(['user', 'ops'])
  expect((await user.call('audience__ops')).isError).toBe(true)
  for (const tier of ['user', 'ops']) expect(textOf(await all.call(`audience__${tier}`))).toBe(tier)
  expect(await owners()).toBe(1)
})
