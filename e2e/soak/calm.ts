import { existsSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { findEngine } from '../bench/engine-address.ts'
import { makePrograms } from '../bundle.ts'
import { borrowEngine, resembleEngine } from '../chosen-engine.ts'
import { type Cleanup, createCleanup } from '../cleanup.ts'
import { startEngineProgram } from '../engine-program.ts'
import { connectToEngine } from '../facts.ts'
import { reserveEngine } from '../reservation.ts'
import { createTempFolder } from '../stack.ts'
import { UsageError } from '../usage.ts'
import { startCrowd } from './crowd.ts'
import { findGrowth, formatSamples } from './judge.ts'
import { soak } from './soak.ts'
import type { SoakOptions } from './soak-options.ts'

const BETWEEN_ROUNDS_MS = 2000
const SHOWN_LINES = 20
const START_MS = 20_000

/**
 * Bridges over HTTP and stdio, two registries and a loop of commands on one engine for minutes. Tells what grew, and which tools a client lost.
 *
 * @returns how many problems there were
 */
export async function runCalm({ minutes, engine, http, version }: SoakOptions): Promise<number> {
  const { use, run: cleanUp } = createCleanup()
  try {
    resembleEngine(version)
    if (engine !== undefined) {
      const address = await findEngine(engine.includes('://') ? engine : await startOwn(engine, use), http)
      use(await reserveEngine(address))
      borrowEngine(address)
    }
    await makePrograms([
      'apps/mcp-bridge/src/main.ts',
      'apps/skills-registry/src/main.ts',
      'e2e/lifeline.ts',
      'e2e/sample-worker/main.ts',
      'packages/mock-engine/src/cli/main.ts',
    ])
    const crowd = use(await startCrowd())
    const end = performance.now() + minutes * 60_000
    const known = new Map([...crowd.logs()].map(([name, lines]) => [name, lines.length]))
    say(`Everybody is there on ${crowd.stack.engineUrl}; this takes ${minutes} minutes.`)
    say(`Tools of each client: ${crowd.clients.map(({ name, tools }) => `${name} ${tools.length}`).join(', ')}.`)
    const { samples, complaints } = await soak(crowd, async () => {
      await pause(BETWEEN_ROUNDS_MS)
      return performance.now() < end
    })
    process.stdout.write(formatSamples(`${minutes} minutes on ${engine ?? `an embedded engine ${version}`}`, samples))
    const problems = [...complaints, ...findGrowth(samples)]
    for (const problem of problems) say(problem)
    for (const [name, lines] of crowd.logs()) {
      const since = lines.slice(known.get(name)).slice(-SHOWN_LINES)
      if (since.length > 0) say([`${name} logged meanwhile:`, ...since].join('\n  '))
    }
    if (problems.length === 0) say('Every client kept all its tools, and nothing grew.')
    return problems.length
  } finally {
    await cleanUp()
  }
}

/** Starts the program of an engine. @returns its address, when it answers */
async function startOwn(program: string, use: Cleanup['use']): Promise<string> {
  if (!existsSync(program))
    throw new UsageError(`--engine has to be a URL or the program of an engine, not '${program}'`)
  const { path } = use(await createTempFolder())
  const { url } = use(await startEngineProgram(program, path, { name: 'kv', config: { store_method: 'in_memory' } }))
  await using control = connectToEngine(url, 'soak-start')
  await control.ready({ timeoutMs: START_MS })
  return url
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
