import type { ReceivedTool } from '../catalog/received-tool.ts'

/** Why a tool waits for approval: nobody has seen it, it is another one than was approved, or something else runs now. */
export type PendingKind = 'new' | 'changed' | 'command'

export interface PendingTool {
  readonly tool: ReceivedTool
  readonly kind: PendingKind
}
