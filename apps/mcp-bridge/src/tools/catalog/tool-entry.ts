import {
  findActing,
  formatToolName,
  formatUri,
  type JsonObject,
  type McpMetadata,
  readMcpMetadata,
  toDescription,
  toTitle,
} from '@iii/protocol'
import { type Access, mayReadSkill, toAccess } from '../../auth/decision.ts'
import type { Principal } from '../../auth/principal.ts'
import type { FunctionDetail } from '../../gate/directory.ts'
import { type Placed, readKey } from '../../gate/sight.ts'
import type { Declared } from '../../resources/declared/table.ts'
import type { ListForm } from './held-lists.ts'
import type { ParamHeader } from './schema-headers.ts'
import { toShared } from './shared-parts.ts'
import { type SchemaForm, toInputSchema, toOutputSchema } from './tool-schemas.ts'

/** A function as clients see it. */
export interface ToolEntry {
  /** The tool's name. */
  readonly name: string
  readonly functionId: string
  /** Its row in `tools/list`, as JSON, without its skill. */
  readonly json: Readonly<Record<ListForm, string>>
  /** Clients insist on structured content then. */
  readonly hasOutputSchema: boolean
  /** What clients could not read of its schemas; empty when nothing was wrong. */
  readonly problems: readonly string[]
  /** It asks to be in every list (`mcp.pin`). */
  readonly pinned: boolean
  /** Id of the skill that it names (`mcp.skill`). */
  readonly skill?: string | undefined
  /** Arguments that 2026-07-28 clients repeat in headers. */
  readonly headers: readonly ParamHeader[]
  /** Who may see it, beside the rules of the bridge. */
  readonly access: Access
  /** What else it is; undefined for a tool that is nothing else. */
  readonly declared: Declared | undefined
}

/** The key in the `_meta` of a tool's row: the address of its skill. */
const SKILL_KEY = 'iii/skill'

/** Larger pictures are not worth their place in a list. */
const MAX_ICONS_LENGTH = 65_536

/** Renders a function as an MCP tool. */
export function toToolEntry(detail: FunctionDetail, form: SchemaForm = {}): ToolEntry {
  const { icons, annotations, ...metadata } = readMcpMetadata(detail.metadata)
  const placed = readKey(detail.id)
  const name = formatToolName(placed.id, placed.namespace)
  const title = toPlacedTitle(metadata.title, placed)
  const input = toInputSchema(detail.requestSchema, form, name)
  const output = toOutputSchema(detail.responseSchema, form, name)
  const tool = {
    name,
    ...(title === undefined ? {} : { title }),
    // Clients insist on a description, and the id says more than nothing.
    description: toPlacedDescription(detail.description, placed) ?? title ?? toDescription(placed.id) ?? name,
    inputSchema: input.schema,
    ...(output.schema === undefined ? {} : { outputSchema: output.schema }),
    ...(annotations === undefined
      ? {}
      : { annotations: title === undefined ? annotations : { title, ...annotations } }),
    ...(icons === undefined || JSON.stringify(icons).length > MAX_ICONS_LENGTH ? {} : { icons }),
  }
  const inlined = JSON.stringify(tool)
  return {
    name,
    functionId: detail.id,
    json: { inlined, shared: form.inlineAll === true ? inlined : JSON.stringify(withShared(tool)) },
    hasOutputSchema: output.schema !== undefined,
    problems: [...named('request_format', input.problems), ...named('response_format', output.problems)],
    pinned: metadata.pin === true,
    // The address would mean a skill of this namespace.
    skill: placed.namespace === undefined ? metadata.skill : undefined,
    headers: input.headers,
    access: toAccess(placed.id, detail.metadata),
    declared: toDeclared(detail, { ...metadata, annotations }),
  }
}

/** A tool's row in `tools/list`: whoever may read its skill is told of it. */
export function toToolRow({ skill, json }: ToolEntry, form: ListForm, principal: Principal): string {
  if (skill === undefined || !mayReadSkill(principal, skill)) return json[form]
  const meta = JSON.stringify({ [SKILL_KEY]: formatUri({ kind: 'skill', id: skill }) })
  return `${json[form].slice(0, -1)},"_meta":${meta}}`
}

function withShared<T extends { inputSchema: JsonObject; outputSchema?: JsonObject }>(tool: T): T {
  const { inputSchema, outputSchema } = tool
  return {
    ...tool,
    inputSchema: toShared(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: toShared(outputSchema) }),
  }
}

/** Whoever sees functions of several namespaces is told which one it is. */
function toPlacedTitle(text: string | undefined, { namespace, id }: Placed): string | undefined {
  const title = toTitle(text)
  return namespace === undefined ? title : toTitle(`${title ?? id} (${namespace})`)
}

function toPlacedDescription(text: string | undefined, { namespace }: Placed): string | undefined {
  if (namespace === undefined) return toDescription(text)
  return toDescription(`${text ?? ''}\n\nIn the namespace ${namespace}.`.trim())
}

function toDeclared(
  { id, description }: FunctionDetail,
  { resource, template, annotations }: McpMetadata,
): Declared | undefined {
  if (resource === undefined && template === undefined) return undefined
  const acting = findActing(annotations)
  return {
    functionId: id,
    description,
    ...(acting === undefined ? {} : { acting }),
    ...(resource === undefined ? {} : { resource }),
    ...(template === undefined ? {} : { template }),
  }
}

function named(what: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `${what}: ${problem.trimStart()}`)
}
