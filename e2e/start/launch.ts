import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { toPublicUrl } from '@iii/sdk'
import { BUILT_PROGRAMS } from '../built.ts'
import {
  connectToEngine,
  hasFunctions,
  MCP_CLIENT_FUNCTIONS,
  NOTES_FUNCTIONS,
  RUNS_FUNCTIONS,
  requestOnce,
  SKILLS_FUNCTIONS,
  servesOrders,
} from '../facts.ts'
import {
  bridgeProgram,
  ENGINE_READY,
  engineProgram,
  mcpClientProgram,
  ordersProgram,
  runsProgram,
  STACK_SOURCES,
  skillsProgram,
} from '../programs.ts'
import { until } from '../until.ts'
import type { Crew } from './crew.ts'
import type { StartPlan } from './prepare.ts'

const DEADLINE_MS = 30_000
/** The jobs of the sample worker. */
const JOBS = fileURLToPath(new URL('../sample-worker/runs.yaml', import.meta.url))

interface EngineAddress {
  url: string
  httpUrl: string
  /** Of the embedded engine; undefined for one that is not ours. */
  pid: number | undefined
}

interface Launch {
  crew: Crew
  /** Prints one line of progress. */
  say(line: string): void
  /** Fires when there is no point in waiting any more. */
  signal: AbortSignal
}

/** Starts everything, each part when what it needs is there. Resolves with the MCP URL once clients can use it. */
export async function launch(plan: StartPlan, { crew, say, signal }: Launch): Promise<string> {
  // One file each, they are there in half the time; where they cannot be made, they run from source.
  if (!process.env[BUILT_PROGRAMS]) await bundle().catch(() => undefined)
  const engine =
    plan.kind === 'embedded'
      ? await startEngine(plan, crew)
      : { url: plan.engineUrl, pid: undefined, httpUrl: plan.httpUrl }
  say(formatPart('engine', engine.pid, `${toPublicUrl(engine.url)}, HTTP at ${engine.httpUrl}`))

  await using control = connectToEngine(engine.url, 'start')
  const skills = crew.add(skillsProgram(engine.url))
  const bridge = crew.add(bridgeProgram(engine.url))
  const runs = crew.add(runsProgram(engine.url, ['--config', JOBS, ...(plan.allowRun ? ['--allow-run'] : [])]))
  const foreign = crew.add(mcpClientProgram(engine.url, ['--config', plan.serversFile]))
  const wait = { deadlineMs: DEADLINE_MS, signal }
  await until(() => hasFunctions(control, SKILLS_FUNCTIONS), { what: 'the skills registry', ...wait })
  say(formatPart('skills', skills.pid, 'registry of skills and prompts'))

  // After the registry, so that its skills and prompts are accepted at once.
  const orders = crew.add(ordersProgram(engine.url))
  const mcpUrl = `${engine.httpUrl}/mcp`
  await until(() => hasFunctions(control, ['mcp::handler']), { what: 'the bridge', ...wait })
  await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, {
    what: `an answer at ${mcpUrl}`,
    ...wait,
  })
  say(formatPart('mcp', bridge.pid, 'bridge between the engine and MCP clients'))
  await until(() => hasFunctions(control, RUNS_FUNCTIONS), { what: 'the records of runs', ...wait })
  say(formatPart('runs', runs.pid, `records of runs${plan.allowRun ? ', and running of jobs' : ''}`))
  // Nobody waits for what servers of other people do.
  const own = plan.mcpServers === undefined ? NOTES_FUNCTIONS : []
  await until(() => hasFunctions(control, [...MCP_CLIENT_FUNCTIONS, ...own]), { what: 'the MCP servers', ...wait })
  say(formatPart('mcp-client', foreign.pid, `MCP servers: ${plan.mcpServers ?? 'notes, with the tools notes__…'}`))

  await until(() => servesOrders(mcpUrl), { what: 'the tools, skills and prompts of the sample worker', ...wait })
  say(formatPart('orders', orders.pid, 'sample worker'))
  return mcpUrl
}

async function bundle(): Promise<void> {
  const { makePrograms } = await import('../bundle.ts')
  await makePrograms(STACK_SOURCES)
}

async function startEngine(plan: Extract<StartPlan, { kind: 'embedded' }>, crew: Crew): Promise<EngineAddress> {
  const child = crew.add(engineProgram(plan))
  const [, url = '', httpUrl = ''] = await child.line(ENGINE_READY, DEADLINE_MS, 'the engine to say where it listens')
  return { url, httpUrl, pid: child.pid }
}

function formatPart(name: string, pid: number | undefined, what: string): string {
  return `${name.padEnd(11)}${(pid === undefined ? '(not ours)' : `process ${pid}`).padEnd(17)}${what}`
}
