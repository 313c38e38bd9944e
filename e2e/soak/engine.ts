import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import type { EngineGeneration } from '@iii/mock-engine'
import { startChild } from '../child.ts'
import type { EngineAddress } from '../chosen-engine.ts'
import { endProcess, findPort, spawnEngine, toAddress, writeEngineConfig } from '../engine-program.ts'
import { connectToEngine } from '../facts.ts'
import { engineProgram } from '../programs.ts'

/** The engine of a soak, and what may be done to it. */
export interface SoakEngine extends EngineAddress, AsyncDisposable {
  readonly name: string
  /** How it is ended and started; undefined for one that somebody else runs. */
  readonly power: EnginePower | undefined
}

export interface EnginePower {
  readonly pid: () => number
  /** What it was given so shortly before its end may be in no file. */
  readonly notSavedMs: number
  /** Waits until it answers; one that runs is left as it is. */
  start(): Promise<void>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Removes what it has stored, while it is ended. */
  dropState(): Promise<void>
  /** No file may grow beyond so many bytes, or as it likes; undefined where that cannot be had. */
  readonly limitFiles: ((bytes: number | 'unlimited') => Promise<void>) | undefined
}

const START_MS = 30_000
/** It saves every five seconds, by a timer alone, and not at its end. */
const NOT_SAVED_MS = 8_000
const STATE = 'state'

/** A program, with its state in files of its folder. */
export async function startOwnEngine(program: string, folder: string): Promise<SoakEngine> {
  const ports = { ws: await findPort(), http: await findPort() }
  const adapter = { name: 'kv', config: { store_method: 'file_based', file_path: `./${STATE}` } }
  await mkdir(folder, { recursive: true })
  await writeEngineConfig(folder, ports, adapter)
  const address = toAddress(ports)
  let child: ChildProcess | undefined
  const power: EnginePower = {
    pid: () => child?.pid ?? 0,
    notSavedMs: NOT_SAVED_MS,
    async start() {
      if (child === undefined || hasEnded(child)) child = spawnEngine(program, folder)
      await answers(address.url)
    },
    async end(signal) {
      if (child === undefined || hasEnded(child)) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
    dropState: () => rm(join(folder, STATE), { recursive: true, force: true }),
    limitFiles: hasLimits() ? (bytes) => limitFiles(child?.pid ?? 0, bytes) : undefined,
  }
  await power.start()
  const dispose = async () => {
    if (child !== undefined) await endProcess(child)
  }
  return { ...address, name: program, power, [Symbol.asyncDispose]: dispose }
}

/** One that is like an engine, in a process of its own. */
export async function startEmbeddedEngine(engineVersion: EngineGeneration, folder: string): Promise<SoakEngine> {
  const ports = { ws: await findPort(), http: await findPort() }
  const dataDir = join(folder, STATE)
  const address = toAddress(ports)
  const open = () => startChild(engineProgram({ enginePort: ports.ws, httpPort: ports.http, engineVersion, dataDir }))
  let child = open()
  await answers(address.url)
  const power: EnginePower = {
    pid: () => child.pid,
    notSavedMs: NOT_SAVED_MS,
    async start() {
      if (!child.running) child = open()
      await answers(address.url)
    },
    async end(signal) {
      child.signal(signal)
      await child.exited
    },
    dropState: () => rm(dataDir, { recursive: true, force: true }),
    limitFiles: undefined,
  }
  const dispose = async () => void (await child.stop())
  return { ...address, name: `an embedded engine ${engineVersion}`, power, [Symbol.asyncDispose]: dispose }
}

async function answers(url: string): Promise<void> {
  await using control = connectToEngine(url, 'soak-start')
  await control.ready({ timeoutMs: START_MS })
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function hasLimits(): boolean {
  return process.platform === 'linux'
}

/** Only the soft limit, which can be lifted again. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}
