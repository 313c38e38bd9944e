import type { Logger } from '@iii/sdk'
import { formatKey } from '../../gate/sight.ts'
import type { Declared } from '../../tools/catalog/index.ts'
import { type OwnTable, type ResourceRow, type TemplateRow, toOwnTable } from './table.ts'

/** What functions declare as resources and templates of their own, with addresses of any scheme but `iii`. */
export interface OwnResources {
  resources(): Promise<readonly ResourceRow[]>
  templates(): Promise<readonly TemplateRow[]>
  /** Who renders what is at an address. */
  find(uri: string): Promise<OwnResource | undefined>
  /** The function that declares a template, spelled as it is listed. */
  functionOfTemplate(uriTemplate: string): Promise<string | undefined>
}

/** A function, and what it is asked for. */
export interface OwnResource {
  readonly functionId: string
  readonly mimeType: string | undefined
  /** What the variables of its template stand for; undefined where there is no template. */
  readonly variables: Readonly<Record<string, string>> | undefined
}

export interface OwnResourcesOptions {
  readonly catalog: {
    /** The same list until something has changed. */
    declared(): Promise<readonly Declared[]>
  }
  readonly log: Logger
}

export function createOwnResources({ catalog, log }: OwnResourcesOptions): OwnResources {
  const told = new Set<string>()
  let source: readonly Declared[] | undefined
  let table: OwnTable = toOwnTable([])

  async function current(): Promise<OwnTable> {
    const declared = await catalog.declared()
    if (declared !== source) {
      source = declared
      table = toOwnTable(declared)
      table.problems.forEach(report)
    }
    return table
  }

  /** Once for each function and problem: the operator reads it, not the client. */
  function report({ functionId, problem }: OwnTable['problems'][number]): void {
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
