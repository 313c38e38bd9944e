import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isAlive } from '../child.ts'
import type { StdioCommand } from '../programs.ts'
import type { SentMessage } from '../raw-client.ts'
import { toStateless } from '../stateless.ts'
import { CAPABILITIES, INITIALIZE, type SoakClient } from './http-clients.ts'
import type { Member } from './member.ts'

/** A bridge that a client has started, and the client in both eras. */
export interface StdioSeat extends Member {
  readonly clients: readonly SoakClient[]
  /** Reads nothing of what it says for as long as `body` takes. */
  withoutReading(body: () => Promise<void>): Promise<void>
}

interface Pending {
  readonly resolve: (message: SentMessage) => void
  readonly reject: (error: Error) => void
  readonly onMessage: ((message: SentMessage) => void) | undefined
}

interface Line {
  readonly process: ReturnType<typeof spawn>
  readonly exited: Promise<void>
  ask(method: string, params: object, onMessage?: (message: SentMessage) => void): Promise<SentMessage>
}

const GONE = 'the bridge has ended'

export function createStdioSeat(name: string, command: () => StdioCommand): StdioSeat {
  let line: Line | undefined
  let upSince: number | undefined
  let lines = 0
  const start = async () => {
    const opened = openLine(command(), () => lines++)
    line = opened
    void opened.exited.then(() => {
      if (line === opened) upSince = undefined
    })
    await opened.ask('initialize', INITIALIZE)
    upSince = performance.now()
  }
  const end = async (signal?: NodeJS.Signals) => {
    upSince = undefined
    if (signal === undefined) line?.process.stdin?.end()
    else line?.process.kill(signal)
    await line?.exited
  }
  const ask: SoakClient['ask'] = async (method, params = {}, onMessage) => {
    if (line === undefined || upSince === undefined) throw new Error(GONE)
    return await line.ask(method, params, onMessage)
  }
  const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() }
  const clients: SoakClient[] = [
    { name: 'stdio in a session', member: name, ask, ...nothing },
    {
      name: 'stdio on 2026-07-28',
      member: name,
      ask: (method, params = {}, onMessage) => ask(method, toStateless(method, params, CAPABILITIES).params, onMessage),
      ...nothing,
    },
  ]
  return {
    name,
    clients,
    get pid() {
      return line?.process.pid ?? 0
    },
    get upSince() {
      return upSince
    },
    lineCount: () => lines,
    said: () => [],
    start,
    stop: () => end(),
    kill: () => end('SIGKILL'),
    signal: (signal) => void line?.process.kill(signal),
    async withoutReading(body) {
      const stdout = line?.process.stdout
      stdout?.pause()
      await body().finally(() => stdout?.resume())
    },
    async [Symbol.asyncDispose]() {
      if (line === undefined || !isAlive(line.process.pid ?? 0)) return
      line.process.kill('SIGCONT')
      const overdue = setTimeout(() => line?.process.kill('SIGKILL'), 10_000)
      await end()
      clearTimeout(overdue)
    },
  }
}

function openLine({ command, args, env = {} }: StdioCommand, onLog: () => void): Line {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('III_'))
  const child = spawn(command, args, { env: { ...Object.fromEntries(inherited), ...env }, stdio: 'pipe' })
  const waiting = new Map<unknown, Pending>()
  let count = 0
  createInterface({ input: child.stderr }).on('line', onLog)
  createInterface({ input: child.stdout }).on('line', (text) => {
    const message = JSON.parse(text) as SentMessage
    const progressToken = message.params?.['progressToken']
    if (message.method !== undefined) return void waiting.get(progressToken)?.onMessage?.(message)
    const pending = waiting.get(message.id)
    waiting.delete(message.id)
    pending?.resolve(message)
  })
  child.stdin.on('error', () => undefined)
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      for (const { reject } of waiting.values()) reject(new Error(GONE))
      waiting.clear()
      resolve()
    })
  })
  return {
    process: child,
    exited,
    ask: (method, params, onMessage) =>
      new Promise((resolve, reject) => {
        const id = `s${++count}`
        waiting.set(id, { resolve, reject, onMessage })
        const own = onMessage === undefined ? params : withToken(params, id)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: own })}\n`)
      }),
  }
}

/** The progress of a request is told by its own id. */
function withToken(params: object, progressToken: string): object {
  const { _meta } = params as { _meta?: object }
  return { ...params, _meta: { ..._meta, progressToken } }
}
