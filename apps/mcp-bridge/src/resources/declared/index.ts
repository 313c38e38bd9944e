import type { Logger } from '@iii/sdk'
import type { Principal } from '../../auth/principal.ts'
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
  resources(principal: Principal): Promise<readonly ResourceRow[]>
  templates(principal: Principal): Promise<readonly TemplateRow[]>
  /** Who renders what is at an address. */
  find(uri: string, principal: Principal): Promise<DeclaredResource | undefined>
  /** The function that declares a template, spelled as it is listed. */
  functionOfTemplate(uriTemplate: string, principal: Principal): Promise<string | undefined>
}

export interface DeclaredResourcesOptions {
  readonly catalog: {
    /** The same list until something has changed. */
    declared(principal: Principal): Promise<readonly Declared[]>
  }
  readonly log: Logger
}

/** From so many on, what was told of functions that are gone is forgotten. */
const MANY = 1_000

export function createDeclaredResources({ catalog, log }: DeclaredResourcesOptions): DeclaredResources {
  const told = new Set<string>()
  /** A list is the same one until something has changed, and goes when nobody has it any more. */
  const tables = new WeakMap<readonly Declared[], DeclaredTable>()

  async function current(principal: Principal): Promise<DeclaredTable> {
    const declared = await catalog.declared(principal)
    const known = tables.get(declared)
    if (known !== undefined) return known
    const table = toDeclaredTable(declared)
    tables.set(declared, table)
    reportAll(table.problems)
    return table
  }

  function forgetAllBut(keys: ReadonlyMap<string, unknown>): void {
    for (const key of told) if (!keys.has(key)) told.delete(key)
  }

  /** Once for each function and problem: the operator reads it, not the client. Ids are made up all the time. */
  function reportAll(problems: DeclaredTable['problems']): void {
    const all = new Map(problems.map((each) => [`${each.functionId} ${each.problem}`, each]))
    if (told.size > MANY) forgetAllBut(all)
    for (const [key, { functionId, problem }] of all) {
      if (told.has(key)) continue
      told.add(key)
      log.warn({ function_id: formatKey(functionId), problem }, 'a resource that a function declares is not listed')
    }
  }

  return {
    resources: async (principal) => (await current(principal)).resources,
    templates: async (principal) => (await current(principal)).templates,
    find: async (uri, principal) => (await current(principal)).find(uri),
    functionOfTemplate: async (uriTemplate, principal) => (await current(principal)).functionOfTemplate(uriTemplate),
  }
}
