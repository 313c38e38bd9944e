import fc from 'fast-check'
import { stdioBridge } from '../../programs.ts'
import { type StdioProcess, startStdio } from '../../stdio-process.ts'
import { almostJson } from '../inputs.ts'
import { type FuzzTarget, inTime, requireNoLeak, requireRpc } from '../target.ts'

/** Of one process: then another one is started, so that no list of replies grows without end. */
const LINES = 20_000

/** Lines on the stdin of a bridge that a client has started; they come in pieces. */
export function createStdioTarget(engineUrl: string): FuzzTarget<readonly string[]> & AsyncDisposable {
  let bridge: StdioProcess | undefined
  let lines = 0
  let seen = 0
  let strays = 0

  async function open(): Promise<StdioProcess> {
    if (bridge !== undefined && lines < LINES) return bridge
    await bridge?.[Symbol.asyncDispose]()
    lines = 0
    seen = 0
    strays = 0
    bridge = startStdio(stdioBridge(engineUrl))
    return bridge
  }

  async function ping(): Promise<void> {
    const reply = await inTime('ping over stdio', (await open()).request('ping'))
    if (reply.result === undefined) throw new Error(`ping over stdio: ${JSON.stringify(reply)}`)
  }

  return {
    name: 'stdio',
    input: fc.array(almostJson, { minLength: 8, maxLength: 24 }),
    count: (all) => all.length,
    async run(all) {
      const process = await open()
      const bytes = Buffer.from(all.map((line) => `${line.replaceAll('\n', ' ')}\n`).join(''))
      const half = Math.floor(bytes.length / 2)
      await process.write(bytes.subarray(0, half))
      await process.write(bytes.subarray(half))
      lines += all.length
      await ping()
      // To the official schema an error without an id is no message.
      for (const stray of process.strays.slice(strays)) requireRpc(readJson(stray))
      for (const message of process.messages.slice(seen)) requireNoLeak(JSON.stringify(message))
      seen = process.messages.length
      strays = process.strays.length
    },
    serves: ping,
    async [Symbol.asyncDispose]() {
      await bridge?.[Symbol.asyncDispose]()
    },
  }
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`says what is no message: ${line}`)
  }
}
