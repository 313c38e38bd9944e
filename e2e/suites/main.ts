/**
 * `pnpm test:engine`, `pnpm test:python`, `pnpm test:nodes`, `pnpm test:servers`, `pnpm test:browser`, `pnpm test:install` and `pnpm test:redis`: suites that need what this repository
 * does not bring along; `pnpm test:times`, which needs the machine for itself. Something that is missing is an error with exit code 2, never a silent pass. Words behind the name of a suite
 * choose files, as for vitest.
 */
import process from 'node:process'
import { NEEDS_OWN_ENGINE } from '../own-engine.ts'
import { runWithUsage, UsageError } from '../usage.ts'
import { VARIABLES_HELP } from './address.ts'
import { findBrowser } from './browser.ts'
import { chooseFiles, listTestFiles } from './chosen-files.ts'
import { pickInSpans, toEngineRuns } from './engine-runs.ts'
import { readPrograms } from './install-programs.ts'
import { startKeepingEngine } from './keeping-engine.ts'
import { type NamedEngine, reserveNamedEngine } from './named-engine.ts'
import { prepareNodes } from './node-versions.ts'
import { PROGRAM_VARIABLE, readEngineProgram } from './program-file.ts'
import { preparePythonSdks } from './python-environment.ts'
import { findRedisPrograms } from './redis-programs.ts'
import { prepareReferenceServers } from './reference-servers.ts'

const suites: Record<string, (filters: readonly string[]) => Promise<void>> = {
  engine: runEngine,
  python: runPython,
  nodes: runNodes,
  servers: runServers,
  browser: runBrowser,
  install: runInstall,
  redis: runRedis,
  times: runTimes,
}

/** All other tests in Python are the same with each SDK. */
const PYTHON_WORKERS = 'e2e/python/python-sdk.test.ts'

const NO_PROGRAM_HELP = `no spans were looked through but those that this engine keeps, at level info, the last thousand; ${PROGRAM_VARIABLE}=/usr/local/bin/iii names a program that is started to keep all`

const USAGE = `pnpm test:NAME [WORD …]: what has one of the words in its file name, or all of it
  test:engine   all scenarios on a running engine, and some of them in search mode too
  test:python   workers in Python, on each SDK and engine, or on a running one
  test:nodes    worker archives and projects of authors on each Node that we support
  test:servers  the reference servers of MCP behind the worker mcp-client, on embedded engines or a running one
  test:browser  the page in a Chromium, and pages of others on a running engine where one is named
  test:install  --iii PATH --iii-worker PATH: worker archives through the command line of the engine
  test:redis    registries and bridges on two real engines with one Redis
  test:times    all tests, alone: none may take longer than it should

${VARIABLES_HELP}
`

await runWithUsage(USAGE, async ([name = '', ...filters]) => {
  const suite = suites[name]
  if (suite === undefined) throw new UsageError(`No suite '${name}': there are ${Object.keys(suites).join(', ')}`)
  await suite(filters)
})

/** All scenarios on a running engine, those of search mode once more in it, and what looks through spans on an engine that keeps them. */
async function runEngine(filters: readonly string[]): Promise<void> {
  const program = readEngineProgram(process.env)
  await using engine = await takeNamedEngine()
  if (engine === undefined) throw new UsageError(VARIABLES_HELP)
  const { runScenarios } = await import('./scenarios.ts')
  for (const run of toEngineRuns(engine.address, filters)) {
    say(`${run.title}:`)
    await runScenarios(run)
  }
  const include = pickInSpans(filters)
  if (include.length > 0) await runInSpans(include, program)
}

/** What looks through spans, on an engine that is started for that. @param program undefined where nobody has named one: that is told */
async function runInSpans(include: readonly string[], program: string | undefined): Promise<void> {
  if (program === undefined) return say(`${include.join(', ')}: ${NO_PROGRAM_HELP}`)
  await using engine = await startKeepingEngine(program)
  const { runScenarios } = await import('./scenarios.ts')
  say(`On ${program}, started for that, which keeps all its spans:`)
  await runScenarios({ include, filters: [], provide: { engine: engine.address } })
}

/** The scenarios with a worker in Python, on each SDK and each engine that there is, or on a running one. */
async function runPython(filters: readonly string[]): Promise<void> {
  const files = chooseFiles(listTestFiles('e2e/python'), filters)
  await using engine = await takeNamedEngine()
  const { runScenarios } = await import('./scenarios.ts')
  const engineVersions = engine === undefined ? (['0.22', '0.23'] as const) : [undefined]
  for (const sdk of await preparePythonSdks({ say })) {
    const include = sdk.isFirst ? files : files.filter((file) => file === PYTHON_WORKERS)
    for (const engineVersion of include.length === 0 ? [] : engineVersions) {
      say(
        `The Python SDK ${sdk.version} on ${engineVersion === undefined ? 'this engine' : `an engine like ${engineVersion}`}`,
      )
      const provide = { engine: engine?.address, engineVersion, python: sdk.python }
      await runScenarios({ include, filters: [], provide })
    }
  }
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
  await using engine = await takeNamedEngine()
  const servers = await prepareReferenceServers({ say })
  const { runScenarios } = await import('./scenarios.ts')
  const include = ['e2e/reference-servers/**/*.test.ts']
  await runScenarios({ include, filters, provide: { engine: engine?.address, servers } })
}

/** The page in a real browser, which `start` serves on its embedded engine; and what pages of others may, on a running engine where one is named. */
async function runBrowser(filters: readonly string[]): Promise<void> {
  const browser = findBrowser(process.env)
  await using engine = await takeNamedEngine()
  const { runScenarios } = await import('./scenarios.ts')
  const provide = { engine: engine?.address, browser }
  await runScenarios({ include: ['e2e/browser/**/*.test.ts'], filters, provide })
}

/** The worker archives through the command line of the engine: `--iii PATH --iii-worker PATH`. */
async function runInstall(words: readonly string[]): Promise<void> {
  const programs = readPrograms(words)
  if (typeof programs === 'string') throw new UsageError(programs)
  const { runScenarios } = await import('./scenarios.ts')
  await runScenarios({ include: ['e2e/install/install.test.ts'], filters: [], provide: { programs }, inSteps: true })
}

/** Registries and bridges on two real engines whose state is in one Redis. */
async function runRedis(filters: readonly string[]): Promise<void> {
  const redis = findRedisPrograms(process.env)
  const { runScenarios } = await import('./scenarios.ts')
  await runScenarios({ include: ['e2e/redis/**/*.test.ts'], filters, provide: { redis } })
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

/** Takes the engine that was named, when there is one, and says what does not run on it. */
async function takeNamedEngine(): Promise<NamedEngine | undefined> {
  const engine = await reserveNamedEngine()
  if (engine === undefined) return undefined
  say(`Running on ${engine.address.url} and ${engine.address.httpUrl}, but for what needs an engine of its own:`)
  for (const [name, why] of Object.entries(NEEDS_OWN_ENGINE)) say(`  ${name}: ${why}`)
  return engine
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
