import type { Logger } from '@iii/sdk'
import { formatKey } from '../../gate/sight.ts'
import {
  type Declared,
  type DeclaredResource,
  type DeclaredTable,
  type ResourceRow,
  type TemplateRow,
  toDeclaredTable,
} from './table.ts'

/** What functions declare as resources and templates of their own, with addresses of any scheme but `iii`. */
export interface DeclaredResources {
  resources(): Promise<readonly ResourceRow[]>
  templates(): Promise<readonly TemplateRow[]>
  /** Who renders what is at an address. */
  find(uri: string): Promise<DeclaredResource | undefined>
  /** The function that declares a template, spelled as it is listed. */
  functionOfTemplate(uriTemplate: string): Promise<string | undefined>
}

export interface DeclaredResourcesOptions {
  readonly catalog: {
    /** The same list until something has changed. */
    declared(): Promise<readonly Declared[]>
  }
  readonly log: Logger
}

export function createDeclaredResources({ catalog, log }: DeclaredResourcesOptions): DeclaredResources {
  const told = new Set<string>()
  let source: readonly Declared[] | undefined
  let table: DeclaredTable = toDeclaredTable([])

  async function current(): Promise<DeclaredTable> {
    const declared = await catalog.declared()
    if (declared !== source) {
      source = declared
      table = toDeclaredTable(declared)
      table.problems.forEach(report)
    }
    return table
  }

  /** Once for each function and problem: the operator reads it, not the client. */
  function report({ functionId, problem }: DeclaredTable['problems'][number]): void {
    const key = `${functionId} ${problem}`
    if (told.has(key)) return
    told.add(key)
    log.warn({ function_id: formatKey(functionId), problem }, 'a resource that a function declares is not listed')
  }

  return {
    resources: async () => (await current()).resources,
    templates: async () => (await current()).templates,
    find: async (uri) => (await current()).find(uri),
    functionOfTemplate: async (uriTemplate) => (await current()).functionOfTemplate(uriTemplate),
  }
}
