/** What a tool takes of the context of a model that is shown the list of tools. */
export interface ToolCost {
  readonly name: string
  /** Of the whole row, in bytes. */
  readonly bytes: number
  readonly inputBytes: number
  readonly outputBytes: number
}

export interface WeighedTool {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema?: object
}

/** Models count differently; a token has about four bytes of JSON in all of them. */
const BYTES_A_TOKEN = 4

export function toTokens(bytes: number): number {
  return Math.round(bytes / BYTES_A_TOKEN)
}

export function toCosts(tools: readonly WeighedTool[]): ToolCost[] {
  return tools.map((tool) => ({
    name: tool.name,
    bytes: countBytes(tool),
    inputBytes: countBytes(tool.inputSchema),
    outputBytes: countBytes(tool.outputSchema),
  }))
}

export function sumBytes(costs: readonly ToolCost[]): number {
  return costs.reduce((sum, { bytes }) => sum + bytes, 0)
}

function countBytes(value: object | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value))
}
