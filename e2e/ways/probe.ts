import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import type { Child } from '../child.ts'
import type { ProgramClock } from './clock.ts'
import type { RoomStack } from './room-stack.ts'

/** Sees which files of this repository a process enters, through its inspector. */
export interface Probe extends AsyncDisposable {
  /** The files of which a function has been called since this was asked last, sorted. */
  entered(): Promise<readonly string[]>
  /** The calls that came back into a room since this was asked last, see {@link RoomStack.takeReturns}. */
  returns(): Promise<readonly string[]>
  /** Stops the time of the process, see {@link ProgramClock}. */
  stopClock(): Promise<void>
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

/** What a Node is started with, so that it has an inspector on a free port of its own. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OURS = /^(?:apps|packages)\//

/** Of a process that was started with {@link INSPECTED}. */
export async function openProbe(child: Child): Promise<Probe> {
  const [, url = ''] = await child.line(/Debugger listening on (ws:\S+)/)
  const socket = new WebSocket(url)
  const waiting = new Map<number, (result: unknown) => void>()
  let last = 0
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })

  function ask<T>(method: string, params: object = {}): Promise<T> {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => waiting.set(id, (result) => resolve(result as T)))
  }

  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    async entered() {
      const { result } = await ask<{ result: readonly ScriptCoverage[] }>('Profiler.takePreciseCoverage')
      const paths = result.filter(isEntered).flatMap(({ url: script }) => toPath(script) ?? [])
      return [...new Set(paths)].sort()
    },
    async returns() {
      const expression = 'globalThis.roomStack.takeReturns()'
      const { result } = await ask<{ result: { value: readonly string[] } }>('Runtime.evaluate', {
        expression,
        returnByValue: true,
      })
      return result.value
    },
    async stopClock() {
      await ask('Runtime.evaluate', { expression: 'globalThis.programClock.stop()' })
    },
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

/** A module runs once, when it is loaded: what counts are its functions. */
function isEntered({ functions }: ScriptCoverage): boolean {
  return functions.some(({ ranges: [whole] }) => whole !== undefined && whole.startOffset > 0 && whole.count > 0)
}

function toPath(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = fileURLToPath(url).slice(ROOT.length)
  return fileURLToPath(url).startsWith(ROOT) && OURS.test(path) ? path : undefined
}
