import { compareText, formatToolName } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import fc from 'fast-check'
import type { BridgeReply } from './bridge.ts'

/** Every way on which somebody may learn of a function, or call it; and functions that are reached on all of them. */

export const TIERS = ['user', 'staff', 'ops']
const SCOPES = ['orders:read', 'orders:write', 'payroll:read']
const NAMES = ['find', 'refund', 'report', 'wipe'] as const

export interface OwnMetadata {
  readonly tier?: string
  readonly scopes?: readonly string[]
  readonly expose?: boolean
  readonly annotations?: { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean }
}

const metadata: fc.Arbitrary<OwnMetadata> = fc.record(
  {
    tier: fc.constantFrom(...TIERS),
    scopes: fc.subarray(SCOPES, { maxLength: 2 }),
    expose: fc.constantFrom(true, true, false),
    annotations: fc.constantFrom({ destructiveHint: true }, { readOnlyHint: true }),
  },
  { requiredKeys: [] },
)

/** What each of so many functions says of itself. */
export const catalogsOf = (count: number) => fc.array(metadata, { minLength: count, maxLength: count })

export const catalogs = catalogsOf(NAMES.length)

export const grantsOfAllKinds = fc.record(
  {
    tiers: fc.subarray(TIERS),
    scopes: fc.subarray([...SCOPES, 'orders:*', '*'], { maxLength: 2 }),
    tools: fc.constantFrom('all', 'search'),
  },
  { requiredKeys: [] },
)

export type AnyGrant = typeof grantsOfAllKinds extends fc.Arbitrary<infer Made> ? Made : never

// Behind two slashes alone an id would be a host with a port.
const toUri = (id: string) => `db:///${id}`
const toTemplate = (id: string) => `row://${id}/{name}`

export const toShopIds = (round: number) => NAMES.map((name) => `shop::r${round}_${name}`)

interface CatalogStage {
  readonly other: Worker
  /** Has the handlers of prompts by their names. */
  readonly registry: { readonly prompts: Pick<Map<string, string>, 'set'> }
}

/** Puts functions on the engine, each a tool, a section, a resource, a template and the handler of a prompt. */
export async function serveCatalog(
  { other, registry }: CatalogStage,
  ids: readonly string[],
  catalog: readonly OwnMetadata[],
): Promise<void> {
  const complete = `aid::of-${formatToolName(ids[0] ?? '')}`
  other.registerFunction(complete, () => ['known'])
  for (const [at, id] of ids.entries()) {
    const shown = {
      resource: { uri: toUri(id), name: id },
      template: { uriTemplate: toTemplate(id), name: id },
      complete,
    }
    other.registerFunction(id, () => `made by ${id}`, { metadata: { mcp: { ...catalog[at], ...shown } } })
    registry.prompts.set(formatToolName(id), id)
  }
  await other.ready()
}

type Answer = Record<string, unknown>
type Ask = (method: string, params: object) => Promise<BridgeReply['message']>

export function createAsker(ask: Ask) {
  const result = async <T = Answer>(method: string, params: object = {}): Promise<T> => {
    const { result: found, error } = await ask(method, params)
    if (found === undefined) throw new Error(`${method}: ${error?.message}`)
    return found as T
  }
  const isAnswered = async (method: string, params: object) => {
    const { result: found } = await ask(method, params)
    return found !== undefined && found['isError'] !== true
  }
  /** The values that it is offered for an argument; undefined for who may not ask. */
  const complete = async (ref: object, argument: object) => {
    const { result: found } = await ask('completion/complete', { ref, argument })
    return (found as { completion: { values: string[] } } | undefined)?.completion.values
  }
  return { result, isAnswered, complete }
}

type Asker = ReturnType<typeof createAsker>

/** Those of the ids for which something holds, one after the other. */
async function pick(ids: readonly string[], isIt: (id: string) => Promise<boolean>): Promise<string[]> {
  const picked: string[] = []
  for (const id of ids) if (await isIt(id)) picked.push(id)
  return picked.sort(compareText)
}

/** Those of the ids that texts name, in whichever form. */
export const having = (ids: readonly string[], texts: readonly (string | undefined)[]) =>
  ids
    .filter((id) => [id, formatToolName(id), toUri(id), toTemplate(id)].some((form) => texts.includes(form)))
    .sort(compareText)

/** Of the ids, what somebody finds and calls as tools. */
async function lookAtTools(asker: Asker, ids: readonly string[], isSearching: boolean) {
  const { result, isAnswered } = asker
  const { tools } = await result<{ tools: { name: string }[] }>('tools/list')
  const { contents } = await result<{ contents: { text: string }[] }>('resources/read', { uri: 'iii://functions' })
  const page = contents[0]?.text ?? ''
  const namespaces = [...new Set(ids.map((id) => id.slice(0, id.indexOf('::'))))]
  const proxied = (id: string) => ({ name: 'call_tool', arguments: { name: formatToolName(id), arguments: {} } })
  return {
    listed: having(ids, isSearching ? await collect(namespaces, search(asker)) : tools.map(({ name }) => name)),
    page: ids.filter((id) => page.includes(`"${id}"`)).sort(compareText),
    completed: having(ids, await collect(namespaces, completeId(asker))),
    called: await pick(ids, (id) => isAnswered('tools/call', { name: formatToolName(id), arguments: {} })),
    item: await pick(ids, (id) => isAnswered('resources/read', { uri: `iii://functions/${id}` })),
    ...(isSearching && { proxied: await pick(ids, (id) => isAnswered('tools/call', proxied(id))) }),
  }
}

/** What is found in all namespaces, one after the other. */
async function collect(namespaces: readonly string[], find: (namespace: string) => Promise<readonly string[]>) {
  const found: string[] = []
  for (const namespace of namespaces) found.push(...(await find(namespace)))
  return found
}

const search =
  ({ result }: Asker) =>
  async (query: string) => {
    const input = { query, limit: 20, detail: 'names' }
    const { structuredContent } = await result<{ structuredContent: { tools: { name: string }[] } }>('tools/call', {
      name: 'search_tools',
      arguments: input,
    })
    return structuredContent.tools.map(({ name }) => name)
  }

const completeId =
  ({ complete }: Asker) =>
  async (namespace: string) => {
    const named = { type: 'ref/resource', uri: 'iii://functions/{id}' }
    return (await complete(named, { name: 'id', value: `${namespace}::` })) ?? []
  }

/** What it reads. */
async function lookAtResources({ result, isAnswered, complete }: Asker, ids: readonly string[]) {
  const { resources } = await result<{ resources: { uri: string }[] }>('resources/list')
  const { resourceTemplates } = await result<{ resourceTemplates: { uriTemplate: string }[] }>(
    'resources/templates/list',
  )
  const reads = (uri: string) => isAnswered('resources/read', { uri })
  const isOffered = async (id: string) =>
    (await complete({ type: 'ref/resource', uri: toTemplate(id) }, { name: 'name', value: '' }))?.[0] === 'known'
  return {
    listed: having(
      ids,
      resources.map(({ uri }) => uri),
    ),
    templates: having(
      ids,
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ),
    section: await pick(ids, (id) => reads(`iii://fn/${id.replace('::', '/')}`)),
    resource: await pick(ids, (id) => reads(toUri(id))),
    row: await pick(ids, (id) => reads(toTemplate(id).replace('{name}', 'one'))),
    completed: await pick(ids, isOffered),
  }
}

/** What it is prompted with. */
async function lookAtPrompts({ result, isAnswered, complete }: Asker, ids: readonly string[]) {
  const { prompts } = await result<{ prompts: { name: string }[] }>('prompts/list')
  const isOffered = async (id: string) =>
    (await complete({ type: 'ref/prompt', name: formatToolName(id) }, { name: 'any', value: '' }))?.[0] === 'known'
  return {
    listed: having(
      ids,
      prompts.map(({ name }) => name),
    ),
    got: await pick(ids, (id) => isAnswered('prompts/get', { name: formatToolName(id) })),
    completed: await pick(ids, isOffered),
  }
}

/** What of the functions somebody sees on each way, those apart that the rules of the bridge tell apart. */
export async function lookEverywhere(asker: Asker, ids: readonly string[], isSearching: boolean) {
  return {
    tools: await lookAtTools(asker, ids, isSearching),
    resources: await lookAtResources(asker, ids),
    prompts: await lookAtPrompts(asker, ids),
  }
}

type SeenEverywhere = Awaited<ReturnType<typeof lookEverywhere>>

/**
 * What it has to be: one set of tools; as resources those of them that only read; as prompts those of them, and those that are no tools for
 * anybody.
 *
 * @param isTool by what it says of itself and the rules of the bridge, whoever asks
 */
export function toOneDecision(
  { tools, resources, prompts }: SeenEverywhere,
  ids: readonly string[],
  catalog: readonly OwnMetadata[],
  isTool = ({ expose }: OwnMetadata) => expose !== false,
): SeenEverywhere {
  const { called } = tools
  const reading = called.filter((id) => catalog[ids.indexOf(id)]?.annotations?.destructiveHint !== true)
  const noTools = prompts.got.filter((id) => !isTool(catalog[ids.indexOf(id)] ?? {}))
  const prompted = [...new Set([...noTools, ...called])].sort(compareText)
  const toSame = <T extends object>(seen: T, set: string[]) =>
    Object.fromEntries(Object.keys(seen).map((way) => [way, set])) as T
  return { tools: toSame(tools, called), resources: toSame(resources, reading), prompts: toSame(prompts, prompted) }
}
