import type { Logger } from '@iii/sdk'
import type { ReceivedTool } from '../catalog/received-tool.ts'
import type { PendingTool } from '../status/server-status.ts'

export interface Pins {
  judge(
    server: { readonly name: string; readonly commandHash: string },
    tools: readonly ReceivedTool[],
  ): Promise<{ readonly approved: readonly ReceivedTool[]; readonly pending: readonly PendingTool[] }>
  onChange(listener: () => void): () => void
}

export function createPins(_options: { readonly path: string; readonly log: Logger }): Pins {
  return {
    judge: (_server, tools) => Promise.resolve({ approved: tools, pending: [] }),
    onChange: () => () => undefined,
  }
}
