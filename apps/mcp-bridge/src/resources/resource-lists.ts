import { ResourceEntry, ResourceTemplate, skillsFunctions } from '@iii/protocol'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { McpCall } from '../mcp/call.ts'
import type { DeclaredResources } from './declared/index.ts'
import type { EngineResources } from './engine/index.ts'
import { type RegistryClient, type RegistryRow, seesRow, WITH_SILENT_REGISTRY, WITHOUT_REGISTRY } from './registry.ts'

/** What clients list of resources and templates: the registry's, what functions declare, and what there is on the engine. */
export interface ResourceLists {
  list(call: McpCall): Promise<ListResourcesResult>
  templates(call: McpCall): Promise<ListResourceTemplatesResult>
  /** What is listed while the registry does not answer. */
  listRest(call: McpCall): Promise<ListResourcesResult>
  templatesRest(call: McpCall): Promise<ListResourceTemplatesResult>
  /** What is listed while nothing is known of the engine. */
  listBuiltIn(): ListResourcesResult
  templatesBuiltIn(): ListResourceTemplatesResult
}

export interface ResourceListsOptions {
  readonly registry: Pick<RegistryClient, 'find'>
  readonly declared: Pick<DeclaredResources, 'resources' | 'templates'>
  readonly engine: Pick<EngineResources, 'resources' | 'templates'>
}

export function createResourceLists({ registry, declared, engine }: ResourceListsOptions): ResourceLists {
  return {
    async list({ principal, limits }) {
      const [rows, declaredRows] = await Promise.all([
        registry.find<Resource & RegistryRow>(skillsFunctions.resourcesList, 'resources', limits.plainMs),
        declared.resources(principal),
      ])
      const seen = rows?.filter((row) => isReadable(row) && seesRow(principal, row)).map(toShown) ?? []
      return { resources: [...seen, ...declaredRows, ...engine.resources()], ...(rows ? {} : WITHOUT_REGISTRY) }
    },
    async templates({ principal, limits }) {
      const [rows, declaredRows] = await Promise.all([
        registry.find<ResourceTemplateType>(skillsFunctions.resourcesTemplates, 'resourceTemplates', limits.plainMs),
        declared.templates(principal),
      ])
      const registered = rows?.filter((row) => ResourceTemplate.safeParse(row).success) ?? []
      const resourceTemplates = [...registered, ...declaredRows, ...engine.templates()]
      return { resourceTemplates, ...(rows ? {} : WITHOUT_REGISTRY) }
    },
    async listRest({ principal }) {
      return { resources: [...(await declared.resources(principal)), ...engine.resources()], ...WITH_SILENT_REGISTRY }
    },
    async templatesRest({ principal }) {
      const resourceTemplates = [...(await declared.templates(principal)), ...engine.templates()]
      return { resourceTemplates, ...WITH_SILENT_REGISTRY }
    },
    listBuiltIn: () => ({ resources: [...engine.resources()], ...WITHOUT_REGISTRY }),
    templatesBuiltIn: () => ({ resourceTemplates: [...engine.templates()], ...WITHOUT_REGISTRY }),
  }
}

/** Clients that parse addresses refuse the whole list for one that is none. */
function isReadable(row: Resource): boolean {
  return ResourceEntry.safeParse(row).success && URL.canParse(row.uri)
}

/** Whose it is clients are not told: addresses are all that they know. */
function toShown(row: Resource & RegistryRow): Resource {
  if (row.skill === undefined) return row
  const { skill: _skill, ...shown } = row
  return shown
}
