import { PassThrough } from 'node:stream'
import type { Ending } from '@iii/sdk/process-group'
import { createDeferred } from '../session/deferred.ts'
import type { ServerProcess } from '../transport/server-process.ts'

/** A server without a process: a test reads what it is sent, and writes what it says. */
export interface MemoryProcess extends ServerProcess {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  /** The messages that it was sent so far. */
  readonly heard: ProcessMessage[]
  say(message: object): void
  end(ending?: Ending): void
}

export interface ProcessMessage {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly error?: { readonly code: number }
}

/** @param answer says something to each message that comes, as a server does */
export function createMemoryProcess(
  answer: (message: ProcessMessage, process: MemoryProcess) => void = () => {},
): MemoryProcess {
  const ended = createDeferred<Ending>()
  const stdin = new PassThrough()
  const heard: ProcessMessage[] = []
  const process: MemoryProcess = {
    ...{ pid: 1, stdin, stdout: new PassThrough(), stderr: new PassThrough(), heard, ended: ended.promise },
    say: (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    end: (ending = { kind: 'exit', code: 0 }) => ended.resolve(ending),
    stop: () => {
      ended.resolve({ kind: 'signal', signal: 'SIGTERM' })
      return Promise.resolve()
    },
  }
  stdin.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) {
      const message = JSON.parse(line) as ProcessMessage
      heard.push(message)
      answer(message, process)
    }
  })
  return process
}

/** Answers `initialize` and a list of tools, as a well-behaved server does. */
export function behave(message: ProcessMessage, process: MemoryProcess, tools: readonly object[] = []): void {
  if (message.method === 'initialize') {
    const serverInfo = { name: 'memory', version: '1.0.0' }
    const capabilities = { tools: { listChanged: true } }
    process.say({ id: message.id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
  }
  if (message.method === 'tools/list') process.say({ id: message.id, result: { tools } })
}
