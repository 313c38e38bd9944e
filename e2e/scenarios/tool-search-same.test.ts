import { type McpContext, registerMcpFunction, type Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS, type ClientKind } from '../clients.ts'
import { connectHost } from '../hosts.ts'
import { stdioBridge } from '../programs.ts'
import type { SentMessage } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import type { ServerTarget } from '../transports.ts'
import { until } from '../until.ts'
import { connectWires, type WireClient, type WireClients } from '../wire-clients.ts'

/** What a call by name and one through `call_tool` are told, and what the function is told of them, is told twice and compared. */
const FLAGS = ['--tools', 'search']
const WAYS = {
  'by name': (name: string, args: object = {}) => ({ name, arguments: { ...args } }),
  'through call_tool': (name: string, args: object = {}) => ({
    name: 'call_tool',
    arguments: { name, arguments: args },
  }),
} as const
type Way = (typeof WAYS)[keyof typeof WAYS]
type Row = Readonly<Record<string, unknown>>

const Name = z.object({ name: z.string() })
const ADA = { action: 'accept', content: { name: 'Ada' } } as const

const cleanup = createCleanup()
let stack: Stack
let wires: WireClients
/** Ends the jobs that have begun, in that order. */
const ends: (() => void)[] = []
/** The jobs that were called off. */
const calledOff: string[] = []

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'], bridgeFlags: FLAGS }))
  offer(stack.worker)
  wires = cleanup.use(await connectWires(stack, FLAGS, { elicitation: {} }))
  const search = { name: 'search_tools', arguments: { query: 'same asking', detail: 'names' } }
  for (const client of Object.values(wires.clients)) {
    await until(async () => JSON.stringify(await client.ask('tools/call', search)).includes('"same__asking"'), {
      what: 'the functions to be found',
    })
  }
})
afterAll(() => cleanup.run())

function offer(worker: Worker): void {
  const job = { mcp: { task: 'optional' } } as const
  const label = { request_format: z.object({ label: z.string() }) }
  const greet = async ({ ask }: McpContext) => {
    const answer = await ask.form('What is your name?', Name, { key: 'user_name' })
    return answer.action === 'accept' ? { greeting: `Hello, ${answer.content.name}!` } : { greeting: 'Hello!' }
  }
  registerMcpFunction(worker, 'same::job', (input, mcp) => hold(input, mcp), { ...job, ...label })
  registerMcpFunction(worker, 'same::failing', () => Promise.reject(new Error('no paper')), job)
  registerMcpFunction(worker, 'same::asking_job', (_, mcp) => greet(mcp), job)
  registerMcpFunction(worker, 'same::walking', async (_, mcp) => {
    for (const step of [1, 2]) await mcp.progress(step, 2, `Step ${step}`)
    await mcp.log('info', 'All steps are done')
    return await greet(mcp)
  })
  // What it keeps makes the state that its client hands back.
  const ask = (mcp: McpContext) => mcp.once('ticket', () => 'kept').then(() => greet(mcp))
  registerMcpFunction(worker, 'same::asking', (_, mcp) => ask(mcp), label)
}

function hold({ label }: { label: string }, { signal }: McpContext): Promise<object> {
  return new Promise((resolve) => {
    ends.push(() => resolve({ printed: label }))
    signal.addEventListener('abort', () => {
      calledOff.push(label)
      resolve({ printed: 'nothing' })
    })
  })
}

/** A story without what is another each time. */
function toPlot(message: SentMessage): Row {
  const { result, error } = message
  const { taskId, createdAt, lastUpdatedAt, requestState, ...rest } = result ?? {}
  return { ...(error ? { error } : rest), isTask: taskId !== undefined, isState: requestState !== undefined }
}

async function tellJobs(client: WireClient, way: Way): Promise<Record<string, readonly Row[]>> {
  const begin = async (name: string, label?: string) => {
    const begun = await client.ask('tools/call', way(name, label === undefined ? {} : { label }))
    const taskId = String(begun.result?.['taskId'])
    const ask = async (method: string, params: object = {}) => await client.ask(method, { taskId, ...params })
    const see = async (status: string) => {
      const look = async () => {
        const seen = await ask('tasks/get')
        return seen.result?.['status'] === status ? toPlot(seen) : undefined
      }
      return await until(look, { what: `${name} to be ${status}` })
    }
    return { begun: toPlot(begun), ask, see }
  }
  const run = async (label: string) => {
    const before = ends.length
    const job = await begin('same__job', label)
    await until(() => ends.length > before, { what: 'the job to run' })
    return job
  }

  const finished = await run('a page')
  const working = await finished.see('working')
  ends.at(-1)?.()
  const cancelled = await run('a book')
  const cancel = toPlot(await cancelled.ask('tasks/cancel'))
  await until(() => calledOff.includes('a book'), { what: 'the job to be called off' })
  const [failed, asking] = [await begin('same__failing'), await begin('same__asking_job')]
  const question = await asking.see('input_required')
  const update = toPlot(await asking.ask('tasks/update', { inputResponses: { user_name: ADA } }))
  return {
    finished: [finished.begun, working, await finished.see('completed')],
    cancelled: [cancelled.begun, cancel, await cancelled.see('cancelled')],
    failed: [failed.begun, await failed.see('completed')],
    asking: [asking.begun, question, update, await asking.see('completed')],
    calledOff: [{ labels: calledOff.splice(0) }],
  }
}

for (const wire of ['HTTP on 2026-07-28', 'stdio on 2026-07-28'] as const) {
  scenario(
    ['search/same'],
    `${wire}: a task through call_tool is followed to its result, its question, its failure and its cancel`,
    async () => {
      const client = wires.clients[wire]
      const named = await tellJobs(client, WAYS['by name'])
      expect(await tellJobs(client, WAYS['through call_tool'])).toEqual(named)
      expect(named['finished']?.map((row) => row['status'])).toEqual(['working', 'working', 'completed'])
      expect(named['finished']?.at(-1)).toMatchObject({ result: { structuredContent: { printed: 'a page' } } })
      expect(named['cancelled']?.at(-1)).toMatchObject({ status: 'cancelled' })
      expect(named['calledOff']).toEqual([{ labels: ['a book'] }])
      expect(named['failed']?.at(-1)).toMatchObject({ result: { isError: true } })
      expect(named['asking']?.[1]).toMatchObject({ inputRequests: { user_name: { method: 'elicitation/create' } } })
      expect(named['asking']?.at(-1)).toMatchObject({ result: { structuredContent: { greeting: 'Hello, Ada!' } } })
    },
  )

  scenario(
    ['search/same'],
    `${wire}: a question by name is answered through call_tool, and the other way`,
    async () => {
      const { ask } = wires.clients[wire]
      const ways = Object.values(WAYS)
      const stories = []
      for (const [first, second] of [ways, ways.toReversed()] as readonly Way[][]) {
        const asked = await ask('tools/call', first?.('same__asking', { label: 'x' }))
        const answers = { inputResponses: { user_name: ADA }, requestState: asked.result?.['requestState'] }
        const other = await ask('tools/call', { ...second?.('same__asking', { label: 'y' }), ...answers })
        const same = await ask('tools/call', { ...second?.('same__asking', { label: 'x' }), ...answers })
        stories.push([asked, other, same].map(toPlot))
      }
      expect(stories[1]).toEqual(stories[0])
      expect(stories[0]).toMatchObject([
        { resultType: 'input_required', isState: true },
        { error: { code: -32602 } },
        { structuredContent: { greeting: 'Hello, Ada!' } },
      ])
    },
  )
}

async function tellCall(kind: ClientKind, target: ServerTarget, way: Way) {
  await using host = await connectHost(kind, target, { elicitation: () => ADA })
  const steps: unknown[] = []
  const { name, arguments: args } = way('same__walking')
  const onProgress = (step: unknown) => void steps.push(step)
  const result = await host.call(name, { ...args }, { onProgress, logLevel: 'debug' })
  return { result, steps, heard: host.heard, asked: host.asked }
}

for (const kind of CLIENT_KINDS) {
  for (const transport of ['HTTP', 'stdio'] as const) {
    scenario(
      ['search/same'],
      `${kind} over ${transport} is told the same progress and logs through call_tool, and asked the same`,
      async () => {
        const target = transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl, FLAGS)
        const tell = (way: keyof typeof WAYS) => tellCall(kind, target, WAYS[way])
        const [named, wrapped] = await Promise.all([tell('by name'), tell('through call_tool')])
        expect(wrapped).toEqual(named)
        expect(named.result.structuredContent).toEqual({ greeting: 'Hello, Ada!' })
        expect(named.steps).toEqual(expect.arrayContaining([{ progress: 1, total: 2, message: 'Step 1' }]))
        expect(named.heard.map(({ method }) => method)).toContain('notifications/message')
        expect(named.asked.map(({ method }) => method)).toEqual(['elicitation/create'])
      },
    )
  }
}
