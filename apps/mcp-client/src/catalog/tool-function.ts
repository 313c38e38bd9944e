import { type JsonObject, toDescription, toTitle } from '@iii/protocol'
import { toCallTimeout } from '../configuration/call-timeout.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { type SecretFilter, toCleanText } from '../redaction/secret-filter.ts'
import { isAllowed } from './allowed.ts'
import { boundDiagnostics, leaveOut } from './left-out.ts'
import type { ReceivedTool, ToolFunction } from './received-tool.ts'
import { toToolId } from './tool-id.ts'
import { readSchema } from './tool-schemas.ts'

/** What of a server's tools is registered, and why the others are not. */
export interface FunctionReading {
  readonly functions: readonly ToolFunction[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What of a configuration shapes its functions. */
export type Presentation = Pick<
  ServerConfig,
  'name' | 'tools' | 'expose' | 'tier' | 'annotations' | 'timeouts' | 'concurrency'
>

/**
 * Makes functions of those tools that the configuration allows. Nothing in them is ours but their ids and what the configuration says:
 * all texts are the server's, without what nobody sees and without the secrets that it was given.
 */
export function toFunctions(
  config: Presentation,
  tools: readonly ReceivedTool[],
  filter: SecretFilter,
): FunctionReading {
  const functions = new Map<string, ToolFunction>()
  const folded = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const tool of tools) {
    if (!isAllowed(config, tool.name)) continue
    const made = toFunction(config, tool, filter)
    if ('problem' in made) diagnostics.push(leaveOut(tool.name, made.problem))
    else if (functions.has(made.id)) folded.add(made.id)
    else functions.set(made.id, made)
  }
  for (const id of folded) {
    functions.delete(id)
    diagnostics.push({
      code: 'tool_left_out',
      message: `several tools would be ${id}; they are all left out`,
      subject: id,
    })
  }
  return { functions: [...functions.values()], diagnostics: boundDiagnostics(diagnostics) }
}

function toFunction(
  config: Presentation,
  { name, definition }: ReceivedTool,
  filter: SecretFilter,
): ToolFunction | { readonly problem: string } {
  if (requiresTask(definition)) return { problem: 'can only be called as an MCP task, which is not supported' }
  const input = readSchema(definition['inputSchema'])
  if ('problem' in input) return { problem: `is left out: its inputSchema ${input.problem}` }
  const output = readSchema(definition['outputSchema'])
  return {
    tool: name,
    id: toToolId(config.name, name),
    description: toDescription(toCleanText(textOf(definition['description']), filter)) ?? '',
    request_format: filter.value(input.schema),
    response_format: 'schema' in output ? filter.value(output.schema) : undefined,
    metadata: toMetadata(config, name, definition, filter),
    timeoutMs: toCallTimeout(config),
  }
}

function toMetadata(config: Presentation, tool: string, definition: JsonObject, filter: SecretFilter): JsonObject {
  const hints = recordOf(definition['annotations'])
  const title =
    toTitle(toCleanText(textOf(definition['title']), filter)) ?? toTitle(toCleanText(textOf(hints['title']), filter))
  const annotations = toAnnotations(config, hints)
  return {
    'mcp.title': `${config.name}: ${title ?? toTitle(tool)}`,
    ...(config.expose === undefined ? {} : { 'mcp.expose': config.expose }),
    ...(config.tier === undefined ? {} : { 'mcp.tier': config.tier }),
    ...(annotations === undefined ? {} : { 'mcp.annotations': annotations }),
    // What goes to other people's servers is nobody else's to keep.
    'runs.record': 'digest',
    'mcp_client.server': config.name,
    'mcp_client.tool': tool,
  }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
/** What makes hosts more careful, whoever says it. */
const STRICTER: JsonObject = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }

function toAnnotations({ annotations }: Presentation, hints: JsonObject): JsonObject | undefined {
  if (annotations === 'none') return undefined
  const taken = HINTS.filter((hint) =>
    annotations === 'as-is' ? typeof hints[hint] === 'boolean' : hint in STRICTER && hints[hint] === STRICTER[hint],
  )
  return taken.length === 0 ? undefined : Object.fromEntries(taken.map((hint) => [hint, hints[hint]]))
}

function requiresTask({ execution }: JsonObject): boolean {
  return recordOf(execution)['taskSupport'] === 'required'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {}
}
