import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { registerMcpFunction, type Worker } from '@iii/sdk'
import { toNodeArgs } from '../built.ts'
import { type Cable, startCable } from '../cable.ts'
import type { ChildOptions } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import {
  connectToEngine,
  hasFunctions,
  MCP_CLIENT_FUNCTIONS,
  RUNS_FUNCTIONS,
  requestOnce,
  SKILLS_FUNCTIONS,
} from '../facts.ts'
import { INSTALLED, toInstalled } from '../installed.ts'
import { fixtureServer } from '../mcp-servers/fixture.ts'
import { bridgeProgram, mcpClientProgram, ordersProgram, runsProgram, skillsProgram, stdioBridge } from '../programs.ts'
import type { SoakEngine } from './engine.ts'
import { createSessionClient, createStatelessClient, type SoakClient } from './http-clients.ts'
import { createMember, type Member } from './member.ts'
import { createStdioSeat, type StdioSeat } from './stdio-client.ts'
import { serveSteps } from './steps.ts'

/** Everything that a soak runs, and the ways to break it. */
export interface SoakStage extends AsyncDisposable {
  readonly engine: SoakEngine
  readonly mcpUrl: string
  /** The soak's own connection. */
  readonly control: Worker
  readonly members: ReadonlyMap<string, Member>
  readonly seat: StdioSeat
  readonly clients: readonly SoakClient[]
  /** The ways of bridge and registry to the engine. */
  readonly cables: { readonly bridge: Cable; readonly skills: Cable }
  readonly files: StageFiles
  /** A process of a member beside it. */
  readonly programs: { readonly bridge: () => ChildOptions; readonly skills: () => ChildOptions }
}

export interface StageFiles {
  /** The configuration of the bridge. */
  readonly bridge: string
  /** By how many milliseconds the clocks of our processes are off. */
  readonly clock: string
  readonly folder: string
  /** What all processes have for files that they do not keep. */
  readonly temporary: string
}

export interface SoakStageOptions {
  readonly engine: SoakEngine
  /** Its own, and empty. */
  readonly folder: string
  /** An interpreter with the official SDK for Python, where there is one. */
  readonly python: string | undefined
}

export const GOOD_CONFIGURATION = 'no_builtins: true\n'
/** A machine that is busy with all of this starts slowly. */
const PATIENT = { start_ms: 30_000, call_ms: 20_000, list_ms: 15_000, stop_ms: 2_000 }
const SERVERS = ['calm', 'second', 'third']
const JOBS = 'jobs:\n  soak: { targets: [soak::last] }\n'

export async function startSoakStage({ engine, folder, python }: SoakStageOptions): Promise<SoakStage> {
  const { use, run } = createCleanup()
  try {
    const files = await writeFiles(folder)
    const env = toEnvironment(files)
    const cables = { bridge: use(await startCable(engine.url)), skills: use(await startCable(engine.url)) }
    const control = use(toDisposable(connectToEngine(engine.url, 'soak')))
    serveSteps(control, registerMcpFunction)
    await control.ready()
    const mcpUrl = `${engine.httpUrl}/mcp`
    const has = (ids: readonly string[]) => () => hasFunctions(control, ids)
    const own = (program: ChildOptions, name: keyof typeof INSTALLED) =>
      toInstalled({ ...program, env }, INSTALLED[name])
    const programs = {
      bridge: () => own(bridgeProgram(cables.bridge.url, ['--config', files.bridge]), 'bridge'),
      skills: () => own(skillsProgram(cables.skills.url), 'skills'),
    }
    const entry = (path: string, name: string, args: readonly string[]): ChildOptions => ({
      ...{ name, env, args, entry: new URL(path, import.meta.url) },
    })
    const all = [
      createMember(programs.skills, has(SKILLS_FUNCTIONS)),
      createMember(programs.bridge, async () => (await requestOnce(mcpUrl, 'ping')) !== undefined),
      createMember(
        () => own(runsProgram(engine.url, ['--config', join(folder, 'runs.yaml'), '--allow-run']), 'runs'),
        has(RUNS_FUNCTIONS),
      ),
      createMember(
        () => ({
          ...own(mcpClientProgram(engine.url, ['--config', join(folder, 'servers.yaml')]), 'mcpClient'),
          cwd: folder,
        }),
        has([...MCP_CLIENT_FUNCTIONS, ...SERVERS.map((name) => `${name}::echo`)]),
      ),
      createMember(() => ({ ...ordersProgram(engine.url), env }), has(['orders::status'])),
      createMember(() => entry('../official-worker/main.ts', 'node worker', [engine.url]), has(['demo::there'])),
      createMember(() => entry('./bare-worker.ts', 'bare worker', ['--url', engine.url]), has(['bare::there'])),
      ...(python === undefined
        ? []
        : [
            createMember(
              () => ({ ...entry('../python/worker.py', 'python worker', [engine.url]), interpreter: python }),
              has(['py::there']),
            ),
          ]),
    ]
    for (const member of all) {
      use(member)
      await member.start()
    }
    const seat = use(
      createStdioSeat('stdio bridge', () => ({ ...stdioBridge(engine.url, ['--config', files.bridge]), env })),
    )
    await seat.start()
    const http = [createSessionClient(mcpUrl), createStatelessClient(mcpUrl)].map(use)
    return {
      ...{ engine, mcpUrl, control, seat, cables, files, programs },
      members: new Map([...all, seat].map((member) => [member.name, member])),
      clients: [...http, ...seat.clients],
      [Symbol.asyncDispose]: run,
    }
  } catch (error) {
    await run()
    throw error
  }
}

async function writeFiles(folder: string): Promise<StageFiles> {
  const files = {
    folder,
    bridge: join(folder, 'bridge.yaml'),
    clock: join(folder, 'clock'),
    temporary: join(folder, 'temporary'),
  }
  await mkdir(files.temporary)
  await writeFile(files.clock, '0')
  await writeFile(files.bridge, GOOD_CONFIGURATION)
  await writeFile(join(folder, 'runs.yaml'), JOBS)
  const servers = Object.fromEntries(
    SERVERS.map((name) => [name, fixtureServer(folder, 'honest', {}, { timeouts: PATIENT })]),
  )
  await writeFile(join(folder, 'servers.yaml'), JSON.stringify({ servers }))
  return files
}

function toEnvironment({ clock, temporary }: StageFiles): Record<string, string> {
  const preload = toNodeArgs(new URL('./clock.ts', import.meta.url)).at(-1) ?? ''
  const options = [process.env['NODE_OPTIONS'], `--import ${pathToFileURL(preload).href}`]
  return { SOAK_CLOCK: clock, TMPDIR: temporary, NODE_OPTIONS: options.filter(Boolean).join(' ') }
}

function toDisposable(worker: Worker): Worker & AsyncDisposable {
  return Object.assign(worker, { [Symbol.asyncDispose]: () => worker.shutdown() })
}
