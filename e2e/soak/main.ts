/**
 * `pnpm soak`: bridges over HTTP and stdio, two registries and a loop of commands on one engine for minutes. Tells what grew, and which
 * tools a client lost.
 */
import { existsSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { EngineGeneration } from '@iii/mock-engine'
import { findEngine } from '../bench/engine-address.ts'
import { makePrograms } from '../bundle.ts'
import { borrowEngine, resembleEngine } from '../chosen-engine.ts'
import { type Cleanup, createCleanup } from '../cleanup.ts'
import { startEngineProgram } from '../engine-program.ts'
import { connectToEngine } from '../facts.ts'
import { Refusal, reserveEngine } from '../reservation.ts'
import { createTempFolder } from '../stack.ts'
import { startCrowd } from './crowd.ts'
import { findGrowth, formatSamples } from './judge.ts'
import { soak } from './soak.ts'

const USAGE = `pnpm soak
  --minutes N           how long (10)
  --engine URL          on a running engine, for tests: rows of our workers are deleted. Default: an embedded one
  --engine PROGRAM      on an engine that is started for this, in a folder of its own
  --http URL            its HTTP port, where it does not tell it itself
  --engine-version V    what an embedded one is like: 0.22 or 0.23 (0.22)
`
const BETWEEN_ROUNDS_MS = 2000
const SHOWN_LINES = 20
const START_MS = 20_000

try {
  await run(readOptions(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

interface Options {
  readonly minutes: number
  readonly engine: string | undefined
  readonly http: string | undefined
  readonly version: EngineGeneration
}

function readOptions(words: readonly string[]): Options {
  const refuse = (why: string): never => {
    throw new Refusal(`${why}\n\n${USAGE}`)
  }
  try {
    const { values } = parseArgs({
      args: words.filter((word) => word !== '--'),
      options: {
        minutes: { type: 'string', default: '10' },
        engine: { type: 'string' },
        http: { type: 'string' },
        'engine-version': { type: 'string', default: '0.22' },
      },
    })
    const { minutes, engine, http, 'engine-version': version } = values
    if (!(Number(minutes) > 0)) refuse(`--minutes has to be more than 0, not '${minutes}'`)
    if (version !== '0.22' && version !== '0.23') return refuse(`--engine-version takes 0.22 or 0.23, not ${version}`)
    return { minutes: Number(minutes), engine, http, version }
  } catch (error) {
    return refuse((error as Error).message)
  }
}

async function run({ minutes, engine, http, version }: Options): Promise<void> {
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
    else process.exitCode = 1
  } finally {
    await cleanUp()
  }
}

/** Starts the program of an engine. @returns its address, when it answers */
async function startOwn(program: string, use: Cleanup['use']): Promise<string> {
  if (!existsSync(program)) throw new Refusal(`--engine has to be a URL or the program of an engine, not '${program}'`)
  const { path } = use(await createTempFolder())
  const { url } = use(await startEngineProgram(program, path, { name: 'kv', config: { store_method: 'in_memory' } }))
  await using control = connectToEngine(url, 'soak-start')
  await control.ready({ timeoutMs: START_MS })
  return url
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
