import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from '@iii/sdk'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { endProcess, findPort, startEngineProgram } from '../engine-program.ts'
import { connectToEngine, hasFunctions, RUNS_FUNCTIONS, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { bridgeProgram, runsProgram, skillsProgram } from '../programs.ts'
import { createTempFolder } from '../stack.ts'
import type { RedisPrograms } from '../suites/redis-programs.ts'
import { until } from '../until.ts'

/** An engine with a registry, a bridge and the worker of runs. */
export interface RedisSide {
  readonly worker: Worker
  readonly engineUrl: string
  readonly mcpUrl: string
}

/** Two real engines whose state is in one Redis. */
export interface RedisStage extends AsyncDisposable {
  readonly sides: readonly [RedisSide, RedisSide]
  readonly redis: Redis
}

export interface Redis {
  /** Stops it, and starts it with what it has saved. */
  restart(): Promise<void>
  signal(name: NodeJS.Signals): void
  empty(): Promise<void>
}

/** One whose last step ends when the test says so. */
const JOBS = 'jobs:\n  e2e-shared: { targets: [e2e-shared::step] }\n'

export async function startRedisStage(programs: RedisPrograms): Promise<RedisStage> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder())
    const port = await findPort()
    const jobs = join(folder.path, 'runs.yaml')
    await writeFile(jobs, JOBS)
    const redis = use(await startRedis(programs.redis, { port, folder: folder.path }))
    const startAt = async (name: string) => {
      const own = join(folder.path, name)
      await mkdir(own)
      const { url, httpUrl } = use(
        await startEngineProgram(programs.engine, own, {
          name: 'redis',
          config: { redis_url: `redis://127.0.0.1:${port}` },
        }),
      )
      const worker = use(toDisposable(connectToEngine(url, `test-${name}`)))
      use(startChild(skillsProgram(url)))
      use(startChild(bridgeProgram(url)))
      use(startChild(runsProgram(url, ['--config', jobs, '--allow-run'])))
      const mcpUrl = `${httpUrl}/mcp`
      await until(() => hasFunctions(worker, [...SKILLS_FUNCTIONS, ...RUNS_FUNCTIONS, 'mcp::handler']), {
        what: `the workers of ${name}`,
      })
      await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, { what: `the bridge of ${name}` })
      return { worker, engineUrl: url, mcpUrl }
    }
    return { sides: [await startAt('one'), await startAt('two')], redis, [Symbol.asyncDispose]: run }
  } catch (error) {
    await run()
    throw error
  }
}

async function startRedis(program: string, { port, folder }: { port: number; folder: string }) {
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', '']
  const open = async () => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const isThere = () =>
      talk(port, 'PING').then(
        (answer) => answer.startsWith('+PONG'),
        () => false,
      )
    await until(isThere, { what: 'Redis to answer' })
    return child
  }
  let child = await open()
  return {
    async restart() {
      await endProcess(child)
      child = await open()
    },
    signal: (name: NodeJS.Signals) => void child.kill(name),
    empty: async () => void (await talk(port, 'FLUSHALL')),
    [Symbol.asyncDispose]: () => endProcess(child),
  }
}

async function talk(port: number, command: string): Promise<string> {
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(2_000, () => socket.destroy(new Error('Redis does not answer')))
  socket.end(`${command}\r\n`)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

function toDisposable(worker: Worker): Worker & AsyncDisposable {
  return Object.assign(worker, { [Symbol.asyncDispose]: () => worker.shutdown() })
}
