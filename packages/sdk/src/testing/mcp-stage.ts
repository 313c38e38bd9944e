import type { McpContext } from '../mcp/mcp-context.ts'
import { type McpFacts, registerMcpFunction } from '../mcp/register-mcp-function.ts'
import type { Worker } from '../worker/worker.ts'
import { type MockStage, type StageEngine, startMockStage } from './mock-stage.ts'
import { type BridgeCall, type StandInBridge, serveStandInBridge, type ToldBridge } from './stand-in-bridge.ts'

/** A worker that offers functions, and a bridge that calls them, on one engine. */
export interface McpStage<E extends StageEngine = StageEngine> extends AsyncDisposable {
  stage: MockStage<E>
  worker: Worker
  /** The worker that the bridge is. */
  caller: Worker
  bridge: StandInBridge
}

export async function startMcpStage<E extends StageEngine>(
  startEngine: () => Promise<E>,
  onTold?: (told: ToldBridge) => unknown,
): Promise<McpStage<E>> {
  const stage = await startMockStage(startEngine)
  const worker = await stage.connect({ name: 'shop' })
  const caller = await stage.connect({ name: 'bridge' })
  const bridge = await serveStandInBridge(caller, onTold)
  return { stage, worker, caller, bridge, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

/** Offers the function `shop::job` and counts its runs. */
export async function offer(
  { worker }: McpStage,
  handler: (mcp: McpContext) => unknown,
  mcp: McpFacts = {},
): Promise<{ runs: number }> {
  const count = { runs: 0 }
  const run = (_input: unknown, context: McpContext) => {
    count.runs++
    return handler(context)
  }
  registerMcpFunction(worker, 'shop::job', run, { mcp })
  await worker.ready()
  return count
}

export function accept(content: unknown) {
  return { action: 'accept', content }
}

/** Answers whatever is asked, each question with what stands under its key or its message. */
export function answering(answers: Record<string, unknown>): NonNullable<BridgeCall['answer']> {
  return (requests) =>
    Object.fromEntries(
      Object.entries(requests).map(([key, { params }]) => [key, answers[key] ?? answers[String(params?.['message'])]]),
    )
}
