import { compareText, MAX_URI_LENGTH, type McpMetadata, toDescription, toTitle } from '@iii/protocol'
import { formatKey } from '../../gate/sight.ts'
import { toFittingRows } from '../../mcp/fitting-rows.ts'
import { toUsualSpelling } from '../engine/address.ts'
import { parseUriTemplate, type UriTemplate } from './uri-template.ts'

/** A function that is a resource, or renders those of a template, beside being a tool. */
export interface Declared extends Pick<McpMetadata, 'resource' | 'template'> {
  readonly functionId: string
  /** What the function says of itself; for resources that say nothing. */
  readonly description: string | undefined
  /** What it says of itself that reading must not do. */
  readonly acting?: string | undefined
}

/** A function, and what it is asked for. */
export interface DeclaredResource {
  readonly functionId: string
  readonly mimeType: string | undefined
  /** What the variables of its template stand for; undefined where there is no template. */
  readonly variables: Readonly<Record<string, string>> | undefined
}

/** A row of `resources/list`. */
export type ResourceRow = { readonly uri: string } & Facts
/** A row of `resources/templates/list`. */
export type TemplateRow = { readonly uriTemplate: string } & Facts

interface Facts {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** All that functions declare, without what cannot be served. */
export interface DeclaredTable {
  /** Sorted by address. */
  readonly resources: readonly ResourceRow[]
  readonly templates: readonly TemplateRow[]
  readonly problems: readonly { readonly functionId: string; readonly problem: string }[]
  find(uri: string): DeclaredResource | undefined
  functionOfTemplate(uriTemplate: string): string | undefined
}

interface Listable<Row> {
  readonly functionId: string
  readonly row: Row
  /** What cannot be read is not listed; whoever reads it all the same is told why. */
  readonly isListed: boolean
}

interface Templated extends Listable<TemplateRow> {
  readonly template: UriTemplate
}

/** What the rows of functions take of a reply, beside those of the registry. */
const MAX_ROWS_BYTES = 4 * 1024 * 1024
/** So many of those that it has no room for are named. */
const MAX_NAMED = 5

type Kind = 'resource' | 'template'
type Declaration<K extends Kind> = NonNullable<McpMetadata[K]>

/** A scheme and something after it, without spaces and what nobody sees. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}]+$/u
const OURS = /^iii:/i
const KEPT = /^skill:/i

/**
 * The one way to write an address of somebody else: clients that parse addresses (all on the official SDK for Python before 2.0) ask for
 * `shop://tea/gr%C3%BCn` when they have read `shop://tea/grün`, and for `https://example.com/` without its slash. Of what is on the engine
 * one of few, see {@link toUsualSpelling}.
 */
export function toOneSpelling(uri: string): string {
  if (OURS.test(uri)) return toUsualSpelling(uri)
  return !KEPT.test(uri) && URL.canParse(uri) ? new URL(uri).href : uri
}

/** @param declared sorted by function id: of two functions with one address the first has it */
export function toDeclaredTable(declared: readonly Declared[]): DeclaredTable {
  const problems: { functionId: string; problem: string }[] = []
  const resources = new Map<string, Listable<ResourceRow>>()
  const templates = new Map<string, Templated>()

  function addResource({ functionId, resource, description, acting }: Declared): string | undefined {
    if (resource === undefined) return undefined
    const uri = toOneSpelling(resource.uri)
    const problem = explainAddress(resource.uri) ?? explainUnread(uri) ?? explainTaken(uri, resources.get(uri))
    const row = { uri, ...toFacts(resource, description) }
    if (problem === undefined) resources.set(uri, { functionId, row, isListed: acting === undefined })
    return toProblem('mcp.resource', problem ?? explainActing(acting))
  }

  function addTemplate({ functionId, template: declaration, description, acting }: Declared): string | undefined {
    if (declaration === undefined) return undefined
    const { uriTemplate } = declaration
    const template = parseUriTemplate(uriTemplate)
    const problem =
      explainAddress(uriTemplate) ??
      (typeof template === 'string'
        ? `the template ${template}`
        : explainTaken(uriTemplate, templates.get(uriTemplate)))
    if (problem !== undefined || typeof template === 'string') return `mcp.template: ${problem}`
    const row = { uriTemplate, ...toFacts(declaration, description) }
    templates.set(uriTemplate, { functionId, template, row, isListed: acting === undefined })
    return toProblem('mcp.template', explainActing(acting))
  }

  for (const each of declared) {
    for (const problem of [addResource(each), addTemplate(each)]) {
      if (problem !== undefined) problems.push({ functionId: each.functionId, problem })
    }
  }

  const toListed = <Row>(all: ReadonlyMap<string, Listable<Row>>): Row[] => {
    const shown = [...all.values()].filter(({ isListed }) => isListed)
    const fitting = new Set(toFittingRows(shown, ({ row }) => JSON.stringify(row), MAX_ROWS_BYTES))
    if (fitting.size < shown.length) problems.push(toNoRoom(shown.filter((each) => !fitting.has(each))))
    return [...fitting].map(({ row }) => row)
  }

  // The template that says more of an address is the one that is meant; sorting keeps the order of ids among equals.
  const bySpecificity = [...templates.values()].sort((a, b) => b.template.fixed - a.template.fixed)
  return {
    resources: toListed(resources).sort((a, b) => compareText(a.uri, b.uri)),
    templates: toListed(templates).sort((a, b) => compareText(a.uriTemplate, b.uriTemplate)),
    problems,
    find(uri) {
      if (uri.length > MAX_URI_LENGTH || !ADDRESS.test(uri)) return undefined
      const own = resources.get(toOneSpelling(uri))
      if (own !== undefined) return { functionId: own.functionId, mimeType: own.row.mimeType, variables: undefined }
      for (const { functionId, template, row } of bySpecificity) {
        const variables = template.match(uri)
        if (variables !== undefined) return { functionId, mimeType: row.mimeType, variables }
      }
      return undefined
    },
    functionOfTemplate: (uriTemplate) => templates.get(uriTemplate)?.functionId,
  }
}

function explainAddress(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return `the address is longer than ${MAX_URI_LENGTH} characters`
  if (!ADDRESS.test(uri))
    return `not an address with a scheme, such as orders://today: ${uri.slice(0, 100).toWellFormed()}`
  return OURS.test(uri)
    ? `iii:// addresses belong to skills and to this server: ${uri.slice(0, 100).toWellFormed()}`
    : undefined
}

/** Clients that parse addresses refuse the whole list for one that is none. */
function explainUnread(uri: string): string | undefined {
  return URL.canParse(uri) ? undefined : `not an address that clients can parse: ${uri.slice(0, 100).toWellFormed()}`
}

/** One for all of a list: there may be thousands. */
function toNoRoom(leftOut: readonly Listable<unknown>[]): { functionId: string; problem: string } {
  const ids = leftOut
    .map(({ functionId, row }) => ({ functionId, size: JSON.stringify(row).length }))
    .sort((a, b) => b.size - a.size)
    .map(({ functionId }) => functionId)
  const named = ids.slice(0, MAX_NAMED).map(formatKey).join(', ')
  const more = ids.length > MAX_NAMED ? ', …' : ''
  return { functionId: ids[0] ?? '', problem: `the list has no room for the largest, ${ids.length}: ${named}${more}` }
}

function toProblem(field: string, problem: string | undefined): string | undefined {
  return problem && `${field}: ${problem}`
}

function explainActing(acting: string | undefined): string | undefined {
  return acting && `the function says ${acting}, and reading changes nothing`
}

function explainTaken(uri: string, owner: { readonly functionId: string } | undefined): string | undefined {
  return owner && `${uri} belongs to ${formatKey(owner.functionId)}`
}

/** What anybody who connects to the engine wrote: short, and nothing unseen in it. */
function toFacts(declaration: Omit<Declaration<Kind>, 'uri' | 'uriTemplate'>, ofFunction: string | undefined): Facts {
  const title = toTitle(declaration.title)
  const description = toDescription(declaration.description ?? ofFunction)
  const mimeType = toTitle(declaration.mimeType)
  return {
    name: toTitle(declaration.name) ?? 'resource',
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  }
}
