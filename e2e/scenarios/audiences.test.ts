import { type McpContext, registerMcpFunction } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions, listFunctions, requestOnce } from '../facts.ts'
import { type ClientHost, connectHost } from '../hosts.ts'
import { bridgeProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** "Same worker, three audiences" of mcp 0.3.2: a user's desktop, an agent over HTTP and a dashboard, on one engine at the same time. */
const REPORTS = { user: 'reports::weekly', agent: 'reports::plan', ops: 'reports::rebuild_cache' } as const
type Tier = keyof typeof REPORTS
const TIERS = Object.keys(REPORTS) as Tier[]
const toToolName = (id: string) => id.replace('::', '__')

const cleanup = createCleanup()
let stack: Stack
let hosts: Readonly<Record<Tier, ClientHost>>
const ran: string[] = []
/** Those whose progress somebody waits for. */
const asked = new Set<string>()
const heard = new Set<unknown>()

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'], bridgeFlags: ['--tier', 'agent'] }))
  for (const [tier, id] of Object.entries(REPORTS)) {
    const report = async (_: unknown, { progress }: McpContext) => {
      ran.push(id)
      await progress(1, 1, id)
      // SDK 1.x drops it where it comes in one read with the result.
      if (asked.has(id)) await until(() => heard.has(id), { what: `${id} to be heard` })
      return id
    }
    registerMcpFunction(stack.worker, id, report, { mcp: { expose: true, tier } })
  }
  await stack.worker.ready()
  const user = cleanup.use(
    await connectHost('sdk 1.x', stdioBridge(stack.engineUrl, ['--tier', 'user', '--no-builtins'])),
  )
  const ops = cleanup.use(await connectHost('client 2.x', stdioBridge(stack.engineUrl, ['--tier', 'ops'])))
  const agent = cleanup.use(await connectHost('client 2.x on 2026-07-28', stack.mcpUrl))
  hosts = { user, agent, ops }
  for (const tier of TIERS) await until(async () => (await toolsOf(tier)).length > 0, { what: `tools for ${tier}` })
})
afterAll(() => cleanup.run())

/** Without what the bridge has of its own. */
async function toolsOf(tier: Tier): Promise<string[]> {
  return (await hosts[tier].listTools()).filter((name) => !name.startsWith('iii_'))
}

const textOf = ({ content }: { content: { text?: string | undefined }[] }) => content.map(({ text }) => text).join('')

scenario(['audiences/own'], 'each audience is shown its own reports, and the tools that come with them', async () => {
  for (const tier of TIERS) expect(await toolsOf(tier)).toEqual([toToolName(REPORTS[tier])])
  expect((await hosts.user.listTools()).length).toBe(1)
  expect((await hosts.ops.listTools()).length).toBe(7)
})

scenario(['audiences/own'], 'all call at once, and what a report says while it runs reaches nobody else', async () => {
  const said = await Promise.all(
    TIERS.map(async (tier) => {
      const steps: unknown[] = []
      const onProgress = ({ message }: { message?: string | undefined }) => {
        steps.push(message)
        heard.add(message)
      }
      asked.add(REPORTS[tier])
      return [textOf(await hosts[tier].call(toToolName(REPORTS[tier]), {}, { onProgress })), steps]
    }),
  )
  expect(said).toEqual(TIERS.map((tier) => [REPORTS[tier], [REPORTS[tier]]]))
})

scenario(['audiences/own'], 'no audience gets at the reports of another one', async () => {
  const before = ran.length
  for (const tier of TIERS) {
    for (const other of TIERS.filter((each) => each !== tier)) {
      const { isError, content } = await hosts[tier].call(toToolName(REPORTS[other]))
      const text = `Error: Function '${REPORTS[other]}' is not exposed via mcp.expose metadata`
      expect({ isError, content }).toEqual({ isError: true, content: [{ type: 'text', text }] })
    }
  }
  expect(ran.length).toBe(before)
})

/** The ids that bridges have registered, but for the one that they share. */
async function bridgeIds(): Promise<string[]> {
  const ids = (await listFunctions(stack.worker)).map(({ function_id }) => function_id)
  return ids.filter((id) => id.startsWith('mcp::') && id !== 'mcp::changed')
}

/** What a bridge has for each route of its own. */
const ROUTED = ['mcp::handler', 'mcp::health']

/** The processes that those ids name. */
function toProcesses(ids: readonly string[]): ReadonlySet<string | undefined> {
  const own = ids.filter((id) => !ROUTED.some((routed) => id.startsWith(routed)))
  return new Set(own.map((id) => id.split('::')[1]))
}

scenario(['audiences/apart'], 'each has ids of its own, and each on HTTP its own route', async () => {
  const url = `${stack.httpUrl}/ops`
  await using dashboard = startChild(bridgeProgram(stack.engineUrl, ['--tier', 'ops', '--api-path', '/ops']))
  await until(async () => (await requestOnce(url, 'ping')) !== undefined, {
    what: `${dashboard.name} to answer at /ops`,
  })
  const ids = await bridgeIds()
  expect(new Set(ids).size).toBe(ids.length)
  for (const routed of ROUTED) expect(ids.filter((id) => id.startsWith(routed))).toHaveLength(2)
  expect(toProcesses(ids).size).toBe(4)
  expect(JSON.stringify(await requestOnce(stack.mcpUrl, 'tools/list'))).toContain('reports__plan')
  await until(async () => JSON.stringify(await requestOnce(url, 'tools/list')).includes('reports__rebuild_cache'), {
    what: 'the reports at /ops',
  })
})

scenario(['audiences/apart'], 'those that stay do not notice that others leave', async () => {
  await hosts.user[Symbol.asyncDispose]()
  await hosts.ops[Symbol.asyncDispose]()
  const isAlone = async () => toProcesses(await bridgeIds()).size === 1
  await until(isAlone, { what: 'the bridges on stdio to be gone' })
  expect(textOf(await hosts.agent.call('reports__plan'))).toBe(REPORTS.agent)
  // The last to register what all share has taken it along; whoever is left offers it again.
  await until(() => hasFunctions(stack.worker, ['mcp::changed', 'mcp::handler']), { what: 'all that clients need' })
  await using newcomer = await connectHost('sdk 1.x', stdioBridge(stack.engineUrl, ['--tier', 'user']))
  expect(textOf(await newcomer.call('reports__weekly'))).toBe(REPORTS.user)
  expect(textOf(await hosts.agent.call('reports__plan'))).toBe(REPORTS.agent)
})
