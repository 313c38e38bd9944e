import { spawn } from 'node:child_process'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { type Exit, isAlive } from './child.ts'
import type { StdioCommand } from './programs.ts'
import { until } from './until.ts'

export interface StdioReply {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** A process that speaks MCP on stdin and stdout, with the test as its client, byte by byte. */
export interface StdioProcess extends AsyncDisposable {
  readonly pid: number
  readonly messages: readonly StdioReply[]
  /** Lines on stdout that are no JSON-RPC message to the official schema. */
  readonly strays: readonly string[]
  readonly stderr: () => string
  readonly exited: Promise<Exit>
  write(bytes: string | Uint8Array): Promise<void>
  /** Sends a request and waits for its reply. */
  request(method: string, params?: object): Promise<StdioReply>
  find(what: string, isIt: (message: StdioReply) => boolean): Promise<StdioReply>
  /** Closes its stdin. */
  end(): void
}

export function startStdio({ command, args, cwd }: StdioCommand, env: Record<string, string> = {}): StdioProcess {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('III_'))
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(inherited), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const messages: StdioReply[] = []
  const strays: string[] = []
  let rest = ''
  let stderr = ''
  let count = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = readLine(line)
      if (message === undefined) strays.push(line.slice(0, 200))
      else messages.push(message)
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined)
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      if (rest !== '') strays.push(rest)
      resolve({ code, signal })
    })
  })

  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => void child.stdin.write(bytes, () => resolve()))
  const find = (what: string, isIt: (message: StdioReply) => boolean) =>
    until(() => messages.find(isIt), { what: `${what}\n${stderr}` })

  return {
    pid: child.pid ?? 0,
    messages,
    strays,
    stderr: () => stderr,
    exited,
    write,
    find,
    async request(method, params = {}) {
      const id = `r${++count}`
      await write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return find(`the reply to ${method}`, (message) => message.id === id && message.method === undefined)
    },
    end: () => void child.stdin.end(),
    async [Symbol.asyncDispose]() {
      if (isAlive(child.pid ?? 0)) child.kill('SIGKILL')
      await exited
    },
  }
}

function readLine(line: string): StdioReply | undefined {
  try {
    const { success, data } = JSONRPCMessageSchema.safeParse(JSON.parse(line))
    return success ? (data as StdioReply) : undefined
  } catch {
    return undefined
  }
}
