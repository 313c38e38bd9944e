import { formatToolName, readMcpMetadata } from '@iii/protocol'
import type { FunctionDetail } from '../directory.ts'
import { toInputSchema, toOutputSchema } from './input-schema.ts'

/** A function as clients see it. */
export interface ToolEntry {
  /** The tool's name. */
  readonly name: string
  readonly functionId: string
  /** Its row in `tools/list`, as JSON. */
  readonly json: string
}

/** Renders a function as an MCP tool. */
export function toToolEntry(detail: FunctionDetail): ToolEntry {
  const { title, icons, annotations } = readMcpMetadata(detail.metadata)
  const name = formatToolName(detail.id)
  const outputSchema = toOutputSchema(detail.responseSchema)
  const tool = {
    name,
    ...(title === undefined ? {} : { title }),
    // Clients insist on a description, and the id says more than nothing.
    description: detail.description?.trim() || title || detail.id,
    inputSchema: toInputSchema(detail.requestSchema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined
      ? {}
      : { annotations: title === undefined ? annotations : { title, ...annotations } }),
    ...(icons === undefined ? {} : { icons }),
  }
  return { name, functionId: detail.id, json: JSON.stringify(tool) }
}
