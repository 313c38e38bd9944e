import { McpMetadata } from '@iii/protocol'

/** What options of a function are here that others call otherwise, or that belong one level down: who says `expose: false` beside `mcp` hides nothing. */
export const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(McpMetadata.shape).map((field) => [field, `mcp: { ${field} }`])),
  ...Object.fromEntries(
    Object.keys(McpMetadata.shape.annotations.unwrap().shape).map((hint) => [
      hint,
      `mcp: { annotations: { ${hint} } }`,
    ]),
  ),
  internal: 'metadata: { internal }',
  timeoutMs: 'mcp: { timeout_ms }',
  timeout: 'mcp: { timeout_ms }',
  hidden: 'mcp: { expose: false }',
  private: 'mcp: { expose: false }',
  inputSchema: 'request_format',
  request_schema: 'request_format',
  input: 'request_format',
  parameters: 'request_format',
  schema: 'request_format',
  outputSchema: 'response_format',
  response_schema: 'response_format',
  output: 'response_format',
}
