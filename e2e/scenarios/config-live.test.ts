import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type ChildOptions, runToEnd, startChild } from '../child.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { requestOnce } from '../facts.ts'
import { startListening } from '../listening.ts'
import { measureBest } from '../measure-best.ts'
import { bridgeProgram, skillsProgram, stdioBridge } from '../programs.ts'
import { openSession } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const shared = useEmptyStack((worker) => {
  const sales = { metadata: { 'mcp.tier': 'sales' } }
  for (const id of ['orders::list', 'billing::list']) worker.registerFunction(id, () => 'done')
  worker.registerFunction('billing::sales', () => 'done', sales)
})

/** The tools of this file that clients see. */
async function listTools(path = '/mcp'): Promise<string> {
  const result = (await requestOnce(`${shared.stack.httpUrl}${path}`, 'tools/list')) as
    | { tools: { name: string }[] }
    | undefined
  if (result === undefined) throw new Error(`nothing is served at ${path}`)
  const names = result.tools.map(({ name }) => name).filter((name) => /^(orders|billing)__/.test(name))
  return names.sort().join()
}
const ALL = 'billing__list,billing__sales,orders__list'
const toolsAre = (names: string, path?: string) =>
  until(async () => (await listTools(path)) === names, { what: `the tools to be ${names}` })

const COUNTS_MS = 2000
const LISTS = ['tools', 'prompts', 'resources']
const OPEN = '{}\n'
const CLOSED = 'require_expose: true\nno_builtins: true\n'

/** How long it takes at best until a change of the file counts and a client has heard of each of its lists. */
async function measureChange(
  config: string,
  heard: () => readonly { readonly method?: string }[],
  tools: () => Promise<string>,
): Promise<number> {
  const change = async (text: string, counts: (names: string) => boolean) => {
    const from = heard().length
    const startedAt = performance.now()
    await writeFile(config, text)
    await until(async () => counts(await tools()), { what: `the tools after ${text}` })
    for (const list of LISTS) {
      const isTold = () =>
        heard()
          .slice(from)
          .some(({ method }) => method === `notifications/${list}/list_changed`)
      await until(isTold, { what: `${list}/list_changed after ${text}` })
    }
    return performance.now() - startedAt
  }
  return await measureBest(COUNTS_MS, async () => {
    const closed = await change(CLOSED, (names) => !names.includes('orders__list'))
    const opened = await change(OPEN, (names) => names.includes('orders__list'))
    return Math.max(closed, opened)
  })
}

scenario(
  ['config/live'],
  'over HTTP a changed file counts within two seconds, and clients hear of their lists',
  async () => {
    const config = join(shared.folder, 'live.yaml')
    await writeFile(config, OPEN)
    await using _bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    await toolsAre(ALL)
    using listener = await startListening(
      shared.stack.mcpUrl,
      await openSession(shared.stack.mcpUrl),
      shared.stack.worker,
    )
    const ms = await measureChange(
      config,
      () => listener.messages,
      () => listTools(),
    )
    expect(ms).toBeLessThanOrEqual(COUNTS_MS)
  },
)

scenario(
  ['config/live'],
  'over stdio a changed file counts within two seconds, and the client hears of its lists',
  async () => {
    const config = join(shared.folder, 'live-stdio.yaml')
    await writeFile(config, OPEN)
    await using bridge = startStdio(stdioBridge(shared.stack.engineUrl, ['--config', config]))
    const clientInfo = { name: 'test', version: '1' }
    await bridge.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    await bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    const tools = async () => JSON.stringify((await bridge.request('tools/list')).result)
    await until(async () => (await tools()).includes('orders__list'), { what: 'the tools' })
    expect(await measureChange(config, () => bridge.messages, tools)).toBeLessThanOrEqual(COUNTS_MS)
  },
)

scenario(['config/environment'], 'a bridge takes its settings from variables, and a flag before them', async () => {
  const env = { III_MCP_API_PATH: '/from-variable', III_MCP_HIDDEN_PREFIXES: '["orders::"]', III_MCP_TIER: 'none' }
  const program = bridgeProgram(shared.stack.engineUrl, ['--tier', 'sales', '--expose-all'])
  await using bridge = startChild({ ...program, env: { ...env, III_MCP_TIRE: 'x' } })
  await toolsAre('billing__sales', '/from-variable')
  await bridge.line(/unknown variable III_MCP_TIRE; did you mean III_MCP_TIER\?/)
})

scenario(
  ['config/environment'],
  'in a micro-VM the names of the keys are enough, and outside they mean nothing',
  async () => {
    const env = { API_PATH: '/in-the-vm', HIDDEN_PREFIXES: '["orders::"]', UNKNOWN: 'x' }
    await using inside = startChild({
      ...bridgeProgram(shared.stack.engineUrl),
      env: { ...env, III_ISOLATION: 'libkrun', III_WORKER_NAME: 'mcp', III_CONFIG_NAME: `e2e-vm-${randomUUID()}` },
    })
    await toolsAre('billing__list,billing__sales', '/in-the-vm')
    await inside.stop()
    await using _outside = startChild({ ...bridgeProgram(shared.stack.engineUrl), env })
    await toolsAre(ALL)
  },
)

scenario(['config/environment'], 'a wrong variable is refused with its name and what would be right', async () => {
  const refused = async (program: ChildOptions, env: Record<string, string>) => {
    const { code, stdout, stderr } = await runToEnd({ ...program, env })
    expect([code, stdout]).toEqual([2, ''])
    return stderr
  }
  const [bridge, skills] = [bridgeProgram(shared.stack.engineUrl), skillsProgram(shared.stack.engineUrl)]
  expect(await refused(bridge, { III_MCP_REQUIRE_EXPOSE: 'ture' })).toContain(
    "iii-mcp: III_MCP_REQUIRE_EXPOSE: must be true or false, not a string ('ture'); did you mean 'true'?",
  )
  expect(await refused(bridge, { III_MCP_REQUIRE_EXPOSE: 'on', III_MCP_EXPOSE_ALL: 'on' })).toContain(
    'III_MCP_REQUIRE_EXPOSE (environment) and III_MCP_EXPOSE_ALL (environment) say the opposite of each other',
  )
  expect(await refused(skills, { III_SKILLS_OWNERSHIP: 'strikt' })).toContain(
    `iii-skills: III_SKILLS_OWNERSHIP: must be one of "open", "strict" ('strikt'); did you mean 'strict'?`,
  )
  expect(await refused(skills, { III_SKILLS_SCOPES_SKILLS: 'prompts' })).toContain("are both 'prompts'")
  expect(await refused(skills, { III_ISOLATION: 'libkrun', STATE_TIMEOUT_MS: 'soon' })).toContain(
    'STATE_TIMEOUT_MS: must',
  )
})

scenario(['config/environment'], 'a wrong flag names the nearest right one', async () => {
  const refused = async (flag: string) => {
    const { code, stderr } = await runToEnd(bridgeProgram(shared.stack.engineUrl, [flag]))
    return [code, stderr.split('\n')[0]]
  }
  expect(await refused('--requier-expose')).toEqual([
    2,
    'iii-mcp: unknown option --requier-expose; did you mean --require-expose?',
  ])
  expect(await refused('--max-result-bytes=1')).toEqual([2, expect.stringContaining('must be at least 1024')])
})
