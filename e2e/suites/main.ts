/**
 * `pnpm test:engine`, `pnpm test:python`, `pnpm test:nodes`, `pnpm test:servers` and `pnpm test:install`: suites that need what this repository
 * does not bring along; `pnpm test:times`, which needs the machine for itself. Something that is missing is an error with exit code 2, never a silent pass. Words behind the name of a suite
 * choose files, as for vitest.
 */
import process from 'node:process'
import type { EngineAddress } from '../chosen-engine.ts'
import { NEEDS_OWN_ENGINE } from '../own-engine.ts'
import { Refusal, reserveEngine } from '../reservation.ts'
import { readEngineAddress, VARIABLES_HELP } from './address.ts'
import { readPrograms } from './install-programs.ts'
import { MissingNodeError, prepareNodes } from './node-versions.ts'
import { MissingPythonError, preparePython } from './python-environment.ts'
import { MissingServersError, prepareReferenceServers } from './reference-servers.ts'

const suites: Record<string, (filters: readonly string[]) => Promise<void>> = {
  engine: runEngine,
  python: runPython,
  nodes: runNodes,
  servers: runServers,
  install: runInstall,
  times: runTimes,
}

try {
  const [name = '', ...filters] = process.argv.slice(2).filter((word) => word !== '--')
  const suite = suites[name]
  if (suite === undefined) throw new Refusal(`No suite '${name}': there are ${Object.keys(suites).join(', ')}`)
  await suite(filters)
} catch (error) {
  const refusals = [Refusal, MissingPythonError, MissingNodeError, MissingServersError]
  if (!(error instanceof Error && refusals.some((refusal) => error instanceof refusal))) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

/** All scenarios, on a running engine. */
async function runEngine(filters: readonly string[]): Promise<void> {
  await using engine = await reserveNamedEngine()
  if (engine === undefined) throw new Refusal(VARIABLES_HELP)
  const { runScenarios } = await import('./scenarios.ts')
  await runScenarios({
    include: ['e2e/scenarios/**/*.test.ts'],
    exclude: Object.keys(NEEDS_OWN_ENGINE).map((name) => `e2e/scenarios/${name}`),
    filters,
    provide: { engine: engine.address },
  })
}

/** The scenarios with a worker in Python, on embedded engines or on a running one. */
async function runPython(filters: readonly string[]): Promise<void> {
  await using engine = await reserveNamedEngine()
  const python = await preparePython({ say })
  const { runScenarios } = await import('./scenarios.ts')
  await runScenarios({ include: ['e2e/python/**/*.test.ts'], filters, provide: { engine: engine?.address, python } })
}

/** The worker archives, and projects of authors, on each supported Node but this one. */
async function runNodes(filters: readonly string[]): Promise<void> {
  const nodes = await prepareNodes({ say })
  const { runScenarios } = await import('./scenarios.ts')
  const include = ['archives', 'worker-project'].map((name) => `e2e/scenarios/${name}.test.ts`)
  await runScenarios({ include, filters, provide: { nodes } })
}

/** The reference servers of MCP behind the worker `mcp-client`, on embedded engines or on a running one. */
async function runServers(filters: readonly string[]): Promise<void> {
  await using engine = await reserveNamedEngine()
  const servers = await prepareReferenceServers({ say })
  const { runScenarios } = await import('./scenarios.ts')
  const include = ['e2e/reference-servers/**/*.test.ts']
  await runScenarios({ include, filters, provide: { engine: engine?.address, servers } })
}

/** The worker archives through the command line of the engine: `--iii PATH --iii-worker PATH`. */
async function runInstall(words: readonly string[]): Promise<void> {
  const programs = readPrograms(words)
  if (typeof programs === 'string') throw new Refusal(programs)
  const { runScenarios } = await import('./scenarios.ts')
  await runScenarios({ include: ['e2e/install/install.test.ts'], filters: [], provide: { programs }, inSteps: true })
}

/** All tests, alone: none may take longer than it should. */
async function runTimes(filters: readonly string[]): Promise<void> {
  const { findSlowTests, formatSlow, LIMIT_MS } = await import('./test-times.ts')
  const slow = await findSlowTests(filters, say)
  for (const test of slow) say(formatSlow(test))
  if (slow.length === 0) return
  say(`More than ${LIMIT_MS} ms: make them faster, or name them in e2e/long-tests.ts with the reason.`)
  process.exitCode = 1
}

/** Takes the engine that was named, when there is one, for this run alone. @throws Refusal when it cannot be had. */
async function reserveNamedEngine(): Promise<({ address: EngineAddress } & AsyncDisposable) | undefined> {
  const address = readEngineAddress(process.env)
  if (typeof address === 'string') throw new Refusal(`${address}\n\n${VARIABLES_HELP}`)
  if (address === undefined) return undefined
  const reservation = await reserveEngine(address)
  say(`Running on ${address.url} and ${address.httpUrl}, but for what needs an engine of its own:`)
  for (const [name, why] of Object.entries(NEEDS_OWN_ENGINE)) say(`  ${name}: ${why}`)
  return { address, [Symbol.asyncDispose]: () => reservation[Symbol.asyncDispose]() }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
