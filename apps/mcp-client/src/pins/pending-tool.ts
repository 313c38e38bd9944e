import type { ReceivedTool } from '../catalog/received-tool.ts'

/** A tool that waits for approval, and why. */
export interface PendingTool {
  /** `command`: the tool is the same, but another command offers it. */
  readonly kind: 'new' | 'changed' | 'command'
  readonly tool: ReceivedTool
}
