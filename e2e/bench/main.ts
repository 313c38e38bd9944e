/**
 * `pnpm bench [engine|bridge|stdio|sdk|skills|runs|mcp-client|freshness|replies|search|page]`: what our parts cost, beside the least that could do the job, in the
 * same run; how far lists are behind an engine, and which replies it loses.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { makePrograms } from '../bundle.ts'
import { borrowEngine } from '../chosen-engine.ts'
import { createCleanup } from '../cleanup.ts'
import { buildInstalled } from '../installed.ts'
import { STACK_SOURCES } from '../programs.ts'
import { reserveEngine } from '../reservation.ts'
import { runWithUsage, UsageError } from '../usage.ts'
import { openArena, type Scene } from './arena.ts'
import { measureAudit } from './audit-bench.ts'
import { measureAuth } from './auth-bench.ts'
import { BENCH_USAGE, type BenchOptions, readBenchOptions } from './bench-options.ts'
import { bridgeScene } from './bridge-bench.ts'
import { measureCallFeed } from './call-feed-bench.ts'
import { findEngine } from './engine-address.ts'
import { engineScenes } from './engine-bench.ts'
import { formatFreshness, measureFreshness } from './freshness-bench.ts'
import { measureIssuer } from './issuer-bench.ts'
import { formatMcpClient, measureMcpClient } from './mcp-client-bench.ts'
import { type BenchFigures, measure } from './measure.ts'
import { formatPage, measurePage } from './page-bench.ts'
import { runReplies } from './replies-bench.ts'
import { runsScene } from './runs-bench.ts'
import { sdkScene } from './sdk-bench.ts'
import { formatSearch, measureSearch } from './search-bench.ts'
import { formatSearchBytes, measureSearchBytes } from './search-bytes.ts'
import { findMissed } from './search-gate.ts'
import { skillsScenes } from './skills-bench.ts'
import { stdioScene } from './stdio-bench.ts'
import { formatFigures } from './table.ts'
import { measureViews } from './views-bench.ts'

const scenes: Record<string, readonly Scene[]> = {
  engine: engineScenes,
  bridge: [bridgeScene],
  stdio: [stdioScene],
  sdk: [sdkScene],
  skills: skillsScenes,
  runs: [runsScene],
}
/** These run only when they are asked for. */
const REPLIES = 'replies'
const FRESHNESS = 'freshness'
const MCP_CLIENT = 'mcp-client'
const SEARCH = 'search'
const PAGE = 'page'
const BY_NAME = [REPLIES, FRESHNESS, MCP_CLIENT, SEARCH, PAGE]
/** Each takes bridges of its own, and an engine unless there is one. */
const PAIRS: Readonly<Record<string, () => Promise<string>>> = {
  'mcp::on-call': measureCallFeed,
  audit: measureAudit,
  'token of the file': measureAuth,
  'token of an issuer': measureIssuer,
  '64 views': measureViews,
}
/** Run as they are installed: what loads sources, or finds lines of them, takes time and memory of its own. */
const PROGRAMS = [
  ...STACK_SOURCES,
  'e2e/bench/bare-worker.ts',
  'e2e/bench/bridge-floor-worker.ts',
  'e2e/bench/floor-worker.ts',
  'e2e/bench/skills-floor-worker.ts',
  'e2e/bench/tools-worker.ts',
  'e2e/installed-lifeline.ts',
]
/** Everything that was measured, for whoever compares runs; below the root of the repository. */
const RESULTS = 'node_modules/.cache/bench.json'

await runWithUsage(BENCH_USAGE, async (words) => {
  const options = readBenchOptions(words)
  if (typeof options === 'string') throw new UsageError(`${options}\n\n${BENCH_USAGE}`)
  const unknown = options.names.find((name) => !(name in scenes) && !BY_NAME.includes(name))
  if (unknown !== undefined) throw new UsageError(`No benchmark ${unknown}.\n\n${BENCH_USAGE}`)
  await runAll(options)
})

async function runAll(options: BenchOptions): Promise<void> {
  const { use, run } = createCleanup()
  try {
    if (options.engine !== undefined) {
      const address = await findEngine(options.engine, options.http)
      use(await reserveEngine(address))
      borrowEngine(address)
    }
    await makePrograms(PROGRAMS, { maps: false })
    await buildInstalled(['bridge', 'skills'])
    const results = []
    const names = options.names.length > 0 ? options.names : Object.keys(scenes)
    for (const scene of names.flatMap((name) => scenes[name] ?? [])) results.push(...(await runScene(scene, options)))
    if (names.includes('bridge')) await measurePairs(options.only)
    if (names.includes(MCP_CLIENT)) results.push(await runMcpClient())
    if (names.includes(FRESHNESS)) results.push(await runFreshness())
    if (names.includes(SEARCH)) results.push(await runSearch())
    if (names.includes(PAGE)) results.push(await runPage())
    if (names.includes(REPLIES)) results.push(await countReplies(options))
    const file = new URL(`../../${RESULTS}`, import.meta.url)
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
    process.stdout.write(`\nThe same as JSON: ${RESULTS}\n`)
  } finally {
    await run()
  }
}

async function measurePairs(only: string): Promise<void> {
  for (const [name, measurePair] of Object.entries(PAIRS)) {
    if (name.includes(only)) process.stdout.write(await measurePair())
  }
}

async function runScene(
  { workers = [], needsOwnEngine, benches: all }: Scene,
  { engine, beside, only }: BenchOptions,
): Promise<{ bench: string; figures: BenchFigures[] }[]> {
  const benches = all.filter(({ title }) => title.includes(only))
  if (benches.length === 0) return []
  if (engine !== undefined && needsOwnEngine !== undefined) {
    for (const { title } of benches) process.stdout.write(`\n${title}\nLeft out: ${needsOwnEngine}\n`)
    return []
  }
  await using arena = await openArena({ workers, beside: beside === undefined ? undefined : pathToFileURL(beside) })
  const results = []
  for (const { title, inFlight = [1, 16], open } of benches) {
    const subjects = await open(arena)
    for (const count of inFlight) {
      const figures = await measure(subjects, count)
      process.stdout.write(formatFigures(title, figures))
      results.push({ bench: title, figures })
    }
  }
  return results
}

async function countReplies({ replies }: BenchOptions): Promise<{ bench: string; tallies: unknown }> {
  await using arena = await openArena()
  return { bench: REPLIES, tallies: await runReplies(arena, replies) }
}

async function runMcpClient(): Promise<{ bench: string; figures: unknown }> {
  const figures = await measureMcpClient()
  process.stdout.write(formatMcpClient(figures))
  return { bench: MCP_CLIENT, figures }
}

async function runSearch(): Promise<{ bench: string; figures: unknown }> {
  const figures = await measureSearch()
  process.stdout.write(formatSearch(figures))
  const bytes = await measureSearchBytes()
  process.stdout.write(formatSearchBytes(bytes))
  const missed = findMissed(figures)
  for (const sentence of missed) process.stderr.write(`${sentence}\n`)
  if (missed.length > 0) process.exitCode = 1
  return { bench: SEARCH, figures: { figures, bytes } }
}

async function runPage(): Promise<{ bench: string; figures: unknown }> {
  const figures = await measurePage(process.env)
  process.stdout.write(formatPage(figures))
  return { bench: PAGE, figures }
}

async function runFreshness(): Promise<{ bench: string; freshness: unknown }> {
  const freshness = await measureFreshness()
  process.stdout.write(formatFreshness(freshness))
  return { bench: FRESHNESS, freshness }
}
