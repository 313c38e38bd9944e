import { setTimeout as pause } from 'node:timers/promises'
import { MCP_ON_CALL } from '@iii/protocol'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasFunctions, requestOnce } from '../facts.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import { type BenchSubject, runFor } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { formatHalves, measureHalf } from './swapped-halves.ts'

const WARM_UP_MS = 2_000
/** A bridge keeps what a subscriber may come back for. */
const GRACE_MS = 11_000

/** What a tools/call costs with somebody bound to `mcp::on-call`, beside the same without, in rounds that take turns. */
export async function measureCallFeed(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const [one, other] = [use(await openSide('one')), use(await openSide('other'))]
    const halves = [await measureTold(one, other), await measureTold(other, one)]
    const title = 'bridge: tools/call with a subscriber of mcp::on-call that wants inputs, beside the same without'
    return formatHalves(title, halves)
  } finally {
    await run()
  }
}

type OpenSide = Awaited<ReturnType<typeof openSide>>

async function measureTold(told: OpenSide, silent: OpenSide) {
  await told.subscribe()
  const half = await measureHalf(told, silent)
  await told.leave()
  return half
}

/** An engine with a bridge and a function, and somebody who may listen. */
async function openSide(name: string) {
  const stack = await startStack({ workers: ['bridge'] })
  stack.worker.registerFunction('feed::echo', (payload: unknown) => payload)
  await until(() => hasFunctions(stack.worker, ['feed::echo']), { what: 'feed::echo' })
  const params = { name: 'feed__echo', arguments: PAYLOAD }
  const bridge = stack.children.get('mcp')
  const subject: BenchSubject = {
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
        await requestOnce(stack.mcpUrl, 'tools/call', params)
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
