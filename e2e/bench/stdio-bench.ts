import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { stdioBridge } from '../programs.ts'
import type { Scene } from './arena.ts'
import type { BenchSubject } from './measure.ts'

/** Just below the longest line that the bridge takes. */
const BYTES = 4 * 1024 * 1024 - 1024

export const stdioScene: Scene = {
  benches: [
    {
      title: 'stdio: 4 MiB in lines of 16 KiB as floor, and in longer ones; the same each means linear time',
      // Lines come one after the other.
      inFlight: [1],
      async open(arena) {
        const bridge = startBridge(arena.stack.engineUrl)
        arena.use(bridge)
        await bridge.answer(1, 100)
        return [16, 256, 1_024, 4_095].map((kib): BenchSubject => {
          const count = Math.max(1, Math.round(BYTES / (kib * 1_024)))
          const name = kib > 4_000 ? 'one line' : `lines of ${kib} KiB`
          return { name, pid: bridge.pid, run: () => bridge.answer(count, Math.floor(BYTES / count)) }
        })
      },
    },
  ],
}

interface Bridge extends AsyncDisposable {
  readonly pid: number
  /** Sends so many pings of so many bytes; resolves when all are answered. */
  answer(count: number, bytes: number): Promise<void>
}

function startBridge(engineUrl: string): Bridge {
  const { command, args } = stdioBridge(engineUrl)
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  let owed = 0
  let settle = (): void => undefined
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) owed -= 1
    if (owed === 0) settle()
  })
  return {
    pid: child.pid ?? 0,
    answer(count, bytes) {
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping', params: { filler: '' } }
      ping.params.filler = 'x'.repeat(Math.max(0, bytes - JSON.stringify(ping).length - 1))
      owed = count
      return new Promise((resolve) => {
        settle = resolve
        child.stdin.write(`${JSON.stringify(ping)}\n`.repeat(count))
      })
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
