import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { connectHost } from '../hosts.ts'
import { runInspector } from '../inspector.ts'
import { stdioBridge } from '../programs.ts'
import type { SentMessage } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import type { ServerTarget } from '../transports.ts'
import { connectWires, WIRES, type WireClients } from '../wire-clients.ts'

const FLAGS = ['--tools', 'search']
const MAX_LIST_BYTES = 8_192
const TRANSPORTS = ['HTTP', 'stdio'] as const

const cleanup = createCleanup()
let stack: ConformanceStack
let wires: WireClients
let home: string
beforeAll(async () => {
  stack = cleanup.use(await startConformanceStack(FLAGS))
  wires = cleanup.use(await connectWires(stack, FLAGS))
  home = cleanup.use(await createTempFolder()).path
})
afterAll(() => cleanup.run())

const toTarget = (transport: (typeof TRANSPORTS)[number]): ServerTarget =>
  transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl, FLAGS)
const textOf = ({ content }: { content: { text?: string | undefined }[] }) => content.map(({ text }) => text).join('')
/** What is asked of `call_tool`. */
const wrap = (name: string, args: object = {}) => ({ name: 'call_tool', arguments: { name, arguments: args } })

for (const kind of CLIENT_KINDS) {
  for (const transport of TRANSPORTS) {
    scenario(['search/clients'], `${kind} searches and calls over ${transport}`, async () => {
      const answers = {
        elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) as const,
        sampling: 'Paris',
        roots: ['file:///home/ada'],
      }
      await using host = await connectHost(kind, toTarget(transport), answers)
      const listed = await host.listTools()
      expect(listed.filter((name) => !name.startsWith('iii_'))).toEqual(['search_tools', 'call_tool', 'skill__fetch'])
      const found = await host.call('search_tools', { query: 'tool that tells its progress', detail: 'names' })
      expect(found.structuredContent).toMatchObject({
        tools: expect.arrayContaining([{ name: 'test_tool_with_progress' }]),
      })
      const steps: unknown[] = []
      const call = (name: string, options = {}) => host.call('call_tool', { name }, options)
      const result = await call('test_tool_with_progress', { onProgress: (step: unknown) => void steps.push(step) })
      expect(steps).toEqual([0, 50, 100].map((progress) => ({ progress, total: 100 })))
      expect(textOf(result)).toBe('Done in three steps.')
      await call('test_tool_with_logging', { logLevel: 'debug' })
      expect(host.heard.filter(({ method }) => method === 'notifications/message')).toHaveLength(3)
      expect(textOf(await call('test_input_required_result_multiple_inputs'))).toMatch(
        /Ada.+Paris.+file:\/\/\/home\/ada/s,
      )
      expect(host.asked).toHaveLength(3)
    })
  }
}

for (const wire of WIRES) {
  scenario(['search/same', 'search/small'], `${wire}: a call through call_tool is that of the tool`, async () => {
    const client = wires.clients[wire]
    const list = await client.ask('tools/list')
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(MAX_LIST_BYTES)
    const calls = [
      ['test_simple_text'],
      ['test_error_handling'],
      ['json_schema_2020_12_tool', { name: 'Ada' }],
      ['test_image_content'],
      ['skill__list'],
      ['nothing__there'],
    ] as const
    for (const [name, args] of calls) {
      const direct = await client.ask('tools/call', { name, arguments: args ?? {} })
      expect(toAnswer(await client.ask('tools/call', wrap(name, args)))).toEqual(toAnswer(direct))
    }
    const begun = await client.ask('tools/call', wrap('slow_compute'))
    const isTask = wire.endsWith('2026-07-28')
    expect(begun.result?.['resultType'] === 'task').toBe(isTask)
    expect(typeof begun.result?.['taskId'] === 'string').toBe(isTask)
  })
}

function toAnswer({ result, error }: SentMessage): unknown {
  return { result, error }
}

const call = ['--method', 'tools/call', '--tool-name']
const inspections: readonly [string[], RegExp][] = [
  [['--method', 'tools/list', '--strict'], /"name": "search_tools"/],
  [[...call, 'search_tools', '--tool-arg', 'query=progress'], /test_tool_with_progress/],
  [[...call, 'call_tool', '--tool-arg', 'name=test_simple_text'], /"text": "/],
]

for (const era of ['legacy', 'modern', 'auto']) {
  for (const [args, shown] of inspections) {
    scenario(['search/clients'], `the Inspector does ${args.join(' ')} in its era ${era}`, async () => {
      const { code, stdout, stderr } = await runInspector(stack.mcpUrl, home, ['--protocol-era', era, ...args])
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(shown)
    })
  }
}
