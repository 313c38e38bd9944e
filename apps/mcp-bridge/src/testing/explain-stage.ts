import { startMockEngine } from '@iii/mock-engine'
import type { BridgeOptions } from '../options.ts'
import { startBridge } from './bridge.ts'
import { runCommand } from './command.ts'

/** By their ids, what functions say of themselves. */
export type MetadataById = Readonly<Record<string, Record<string, unknown>>>

/** A bridge on an engine with these functions, and `explain` asked of it. */
export async function startExplainStage(functions: MetadataById, options: Partial<BridgeOptions> = {}) {
  const engine = await startMockEngine({ functionsPollMs: 50 })
  const bridge = await startBridge(engine, { options })
  for (const [id, metadata] of Object.entries(functions)) bridge.other.registerFunction(id, () => id, { metadata })
  await bridge.other.ready()
  const run = (...argv: string[]) => runCommand(['explain', ...argv], { env: { III_URL: engine.url } })
  return {
    ...{ engine, bridge, run },
    json: async (...argv: string[]) => JSON.parse((await run('--json', ...argv)).stdout),
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}
