import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toFault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { expect } from 'vitest'
import { type Child, isAlive, runToEnd, startChild } from '../child.ts'
import { hasFunctions, listFunctions, MCP_CLIENT_FUNCTIONS } from '../facts.ts'
import { mcpClientCommand, mcpClientProgram } from '../programs.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'
import { type EntryFields, type FixtureNote, fixtureServer, readJournal, readPids } from './fixture.ts'

/** What scenarios read of `mcp-client::status`. */
export interface StatusEntry {
  readonly name: string
  readonly state: string
  readonly pid?: number
  readonly tools: readonly { readonly tool: string; readonly functionId: string; readonly state: string }[]
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly subject?: string }[]
  readonly counts: Readonly<Record<string, number>>
  readonly failures: number
  readonly stderr: readonly string[]
}

/** A worker `mcp-client` with servers of its own, and beside them one that is as it should be: `calm`. */
export interface ServerStage extends AsyncDisposable {
  readonly child: Child
  readonly folder: string
  readonly config: string
  /** Writes the configuration anew. */
  write(servers: Readonly<Record<string, EntryFields>>): Promise<void>
  status(name: string): Promise<StatusEntry>
  /** Waits until a server is in a state. */
  reaches(name: string, ...states: string[]): Promise<StatusEntry>
  /** Waits until a server has a diagnostic of this code. */
  says(name: string, code: string): Promise<StatusEntry>
  call<T = unknown>(functionId: string, payload?: object): Promise<T>
  /** The fault of a call that has to fail. */
  fails(functionId: string, payload?: object): Promise<{ code: string; message: string }>
  /** The ids of functions under a name. */
  functionsOf(name: string): Promise<string[]>
  journal(): readonly FixtureNote[]
  /** Runs a command: `command('approve', 'calm')`. */
  command(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
}

export type ToEntry = (mode: string, options?: Record<string, string | number>, more?: EntryFields) => EntryFields

export interface ServerStageOptions {
  readonly engineUrl: string
  /** A connection of the test to that engine. */
  readonly control: Worker
  /** The servers beside `calm`; `entry` makes one in a mode of the fixture. */
  servers(entry: ToEntry, folder: string): Readonly<Record<string, EntryFields>>
  /** What the engine tells a worker that it starts. */
  readonly env?: Record<string, string>
}

const GONE_MS = 3000

/** Starts the worker; resolves when it and `calm` can be used. */
export async function startServerStage({
  engineUrl,
  control,
  servers,
  env = {},
}: ServerStageOptions): Promise<ServerStage> {
  const temp = await createTempFolder()
  const folder = temp.path
  const config = join(folder, 'servers.yaml')
  const entry: ToEntry = (mode, options, more) => fixtureServer(folder, mode, options, more)
  const write = (all: object) => writeFile(config, JSON.stringify({ servers: all }, null, 2))
  await write({ calm: entry('honest'), ...servers(entry, folder) })
  const child = startChild({ ...mcpClientProgram(engineUrl, ['--config', config]), cwd: folder, env })

  const status = async (name: string) => {
    const payload = { server: name }
    const all = await control.trigger<{ servers: StatusEntry[] }>({ function_id: 'mcp-client::status', payload })
    const found = all.servers.find((server) => server.name === name)
    if (found === undefined) throw new Error(`no server ${name} in ${JSON.stringify(all)}`)
    return found
  }
  const waitFor = (name: string, what: string, isIt: (status: StatusEntry) => boolean) =>
    until(
      async () => {
        const seen = await status(name)
        if (!isIt(seen)) throw new Error(JSON.stringify(seen).slice(0, 2000))
        return seen
      },
      { what: `${name} to be ${what}` },
    )
  const call = <T>(function_id: string, payload: object = {}) => control.trigger<T>({ function_id, payload })

  const stage: ServerStage = {
    child,
    folder,
    config,
    write: (all) => write({ calm: entry('honest'), ...all }),
    status,
    reaches: (name, ...states) => waitFor(name, states.join(' or '), ({ state }) => states.includes(state)),
    says: (name, code) =>
      waitFor(name, code, ({ diagnostics }) => diagnostics.some((diagnostic) => diagnostic.code === code)),
    call,
    async fails(functionId, payload) {
      const fault = await call(functionId, payload).then(
        (result) => expect.fail(`${functionId} answered ${JSON.stringify(result).slice(0, 500)}`),
        (error: unknown) => error,
      )
      const { code, message } = toFault(fault)
      return { code, message }
    },
    async functionsOf(name) {
      const ids = (await listFunctions(control)).map(({ function_id }) => function_id)
      return ids.filter((id) => id.startsWith(`${name}::`)).sort()
    },
    journal: () => readJournal(folder),
    command: (...words) => runToEnd(mcpClientCommand(engineUrl, [...words, '--config', config])),
    async [Symbol.asyncDispose]() {
      await child.stop(5000)
      for (const pid of readPids(folder).filter(isAlive)) process.kill(pid, 'SIGKILL')
      await temp[Symbol.asyncDispose]()
    },
  }
  const isThere = () => hasFunctions(control, [...MCP_CLIENT_FUNCTIONS, 'calm::echo'])
  await until(isThere, { what: 'the worker and its server calm' }).catch(async (error: Error) => {
    await stage[Symbol.asyncDispose]()
    throw new Error(`${error.message}\n${child.stderr.join('\n')}`)
  })
  return stage
}

/** The most memory that a process has had, in bytes. */
export function readPeak(pid: number): number {
  const file = `/proc/${pid}/status`
  const [, peak] = existsSync(file) ? (/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) ?? []) : []
  return Number(peak ?? execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** Stops the worker: nothing of it or of its servers is left. */
export async function expectNothingLeft({ child, folder }: ServerStage): Promise<void> {
  const pids = readPids(folder)
  expect(pids.length).toBeGreaterThan(0)
  const exit = await child.stop(5000)
  expect(exit, child.stderr.slice(-5).join('\n')).toEqual({ code: 0, signal: null })
  await expectGone(pids)
}

export async function expectGone(pids: readonly number[]): Promise<void> {
  const left = () => pids.filter(isAlive)
  await until(() => left().length === 0, { what: 'every process to be gone', deadlineMs: GONE_MS }).catch(() => {
    expect(left().map(describeProcess)).toEqual([])
  })
}

function describeProcess(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`
  } catch {
    return String(pid)
  }
}
