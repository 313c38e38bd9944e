import { setTimeout as pause } from 'node:timers/promises'
import { MCP_ON_CALL } from '@iii/protocol'
import { createCleanup } from '../cleanup.ts'
import { ask, connectToEngine, hasFunctions } from '../facts.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'
import { readCpuMs } from './cpu-time.ts'
import { createHttpCaller } from './http-caller.ts'
import { compareInTurns, judgeRatios } from './interleaved.ts'
import { runFor, type Subject } from './measure.ts'
import { PAYLOAD } from './payload.ts'

/** Rounds of each half; in the other half the subscriber is at the other bridge, so that no process has it better by luck. */
const ROUNDS = 15
const WARM_UP_MS = 2_000
const MOST = 1.05
/** A bridge keeps what a subscriber may come back for. */
const GRACE_MS = 11_000

/** What a tools/call costs with somebody bound to `mcp::on-call`, beside the same without, in rounds that take turns. */
export async function measureCallFeed(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const [one, other] = [use(await openSide('one')), use(await openSide('other'))]
    const halves = [await measureHalf(one, other), await measureHalf(other, one)]
    const { ratios, median, bound } = judgeRatios(halves.flatMap((half) => half.ratios))
    const cpu = halves.reduce((sum, half) => sum + half.cpu, 0) / halves.length
    return [
      '\nbridge: tools/call with a subscriber of mcp::on-call that wants inputs, beside the same without',
      `${ratios.length} rounds: median ratio ${median.toFixed(3)}, upper 95 % bound ${bound.toFixed(3)}, ${bound < MOST ? '' : 'NOT '}below ${MOST}`,
      `processor time of the bridge for a call: ${cpu.toFixed(3)} times as much\n`,
    ].join('\n')
  } finally {
    await run()
  }
}

type Side = Awaited<ReturnType<typeof openSide>>

async function measureHalf(told: Side, silent: Side): Promise<{ ratios: number[]; cpu: number }> {
  await told.subscribe()
  const before = [told, silent].map(readCpu)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) ratios.push(await compareInTurns(told.subject, silent.subject))
  const [more = Number.NaN, less = Number.NaN] = [told, silent].map((side, at) => readCpu(side) - (before[at] ?? 0))
  await told.leave()
  return { ratios, cpu: more / less }
}

function readCpu({ subject: { pid } }: { subject: Subject }): number {
  return (pid === undefined ? undefined : readCpuMs(pid)) ?? Number.NaN
}

/** An engine with a bridge and a function, and somebody who may listen. */
async function openSide(name: string) {
  const stack = await startStack({ workers: ['bridge'] })
  stack.worker.registerFunction('feed::echo', (payload: unknown) => payload)
  await until(() => hasFunctions(stack.worker, ['feed::echo']), { what: 'feed::echo' })
  const params = { name: 'feed__echo', arguments: PAYLOAD }
  const bridge = stack.children.get('mcp')
  const subject: Subject = {
    name,
    ...(bridge === undefined ? {} : { pid: bridge.pid }),
    run: createHttpCaller(stack.mcpUrl, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
  await runFor(subject, 1, WARM_UP_MS)
  let listener: ReturnType<typeof connectToEngine> | undefined
  return {
    subject,
    async subscribe() {
      let isTold = false
      listener = connectToEngine(stack.engineUrl, 'listener')
      listener.registerFunction('feed::listener', () => {
        isTold = true
        return {}
      })
      listener.registerTrigger({ type: MCP_ON_CALL, function_id: 'feed::listener', config: { inputs: true } })
      const hears = async () => {
        await ask(stack.mcpUrl, 'tools/call', params)
        return isTold
      }
      await until(hears, { what: 'calls to be told' })
    },
    async leave() {
      await listener?.shutdown()
      await pause(GRACE_MS)
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}
