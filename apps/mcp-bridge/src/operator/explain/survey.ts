import { compareText, type ExposureRules, formatToolName, isInternalId, isRecord, type JsonObject } from '@iii/protocol'
import { createLog, type Worker } from '@iii/sdk'
import { EVERYBODY, type Principal } from '../../auth/principal.ts'
import { createDirectory, readFunctions } from '../../gate/directory.ts'
import { createSight, readKey, type Sight, toKey } from '../../gate/sight.ts'
import { readyMembers } from '../../mcp/rpc.ts'
import { createDeclaredResources } from '../../resources/declared/index.ts'
import { seesRow } from '../../resources/registry.ts'
import { type Catalog, createCatalog, MAX_TOOLS } from '../../tools/catalog/index.ts'
import type { Judged } from './changes.ts'
import { type Explained, findNamed, type SurveyView, toExplained } from './explained.ts'
import { findRegistered, type Registered } from './registered.ts'

/** The functions of an engine, seen through the rules of a bridge. */
export interface Survey {
  readonly registered: Registered
  /** All addresses that clients list, of the registry and of functions, but not the bridge's own. */
  readonly resources: readonly { readonly uri: string; readonly name: string }[]
  /** How many tools clients list, without those of the bridge itself. */
  readonly listed: number
  /** Explains the functions of the engine, by id. @param internal with those that only engine and workers call */
  all(options: { internal: boolean }): Promise<{ functions: Explained[]; leftOut: number }>
  /**
   * By its id, the name of its tool, the address of its section, or a prompt that it renders. An id is looked for in the bridge's own
   * namespace, and else in the others that it shows.
   *
   * @returns undefined for one that nobody registered, or several namespaces have alike
   */
  one(name: string): Promise<Explained | undefined>
  /** The other namespaces that have a function of this id: its tools in those that are shown, and those out of sight. */
  elsewhere(id: string): Promise<{ readonly tools: readonly string[]; readonly outOfSight: readonly string[] }>
  close(): void
}

/** For one question to the engine. */
const ASK_MS = 10_000

export interface SurveyOptions {
  readonly rules: ExposureRules
  /** Through whose eyes. @default whoever asks where nobody is asked who they are */
  readonly principal?: Principal | undefined
  /** Those that are shown beside the own one. */
  readonly namespaces?: readonly string[]
  readonly maxTools?: number
}

/** Looks at the engine once; what it says later is not taken in. @throws InvocationError when the engine does not answer */
export async function startSurvey(
  engine: Worker,
  { rules, principal = EVERYBODY, namespaces = [], maxTools = MAX_TOOLS }: SurveyOptions,
): Promise<Survey> {
  const sight = createSight(engine.namespace, () => namespaces)
  const directory = createDirectory(engine, ASK_MS, sight)
  // The catalog of the running bridge: whoever wins a name here wins it there.
  const log = createLog({ name: 'iii-mcp', level: 'silent' })
  const catalog = createCatalog({ directory, rules: () => rules, sight, log, maxTools })
  await catalog.refresh()
  const declared = createDeclaredResources({ catalog, log })
  const [registered, listed, resources, templates] = await Promise.all([
    findRegistered(engine, sight.own, ASK_MS),
    findListed(catalog, principal),
    declared.resources(principal),
    declared.templates(principal),
  ])
  const seen = { ...registered, resources: filterSeen(registered.resources, principal) }
  const view: SurveyView = {
    rules,
    principal,
    catalog,
    promptsOf: registered.promptsOf,
    declared,
    listed,
    isFull: listed.size < catalog.known(principal).length,
  }
  const explainOne = (judged: Judged) => toExplained(judged, view)
  async function findElsewhere(id: string): Promise<Judged | undefined> {
    const [first, ...more] = (await listEverything(engine, sight)).filter((row) => readKey(row.id).id === id)
    return more.length === 0 ? first : undefined
  }

  return {
    resources: [
      ...[...seen.resources.values()].map(({ uri, name }) => ({ uri, name })),
      ...resources.map(({ uri, name }) => ({ uri, name })),
      ...templates.map(({ uriTemplate: uri, name }) => ({ uri, name })),
    ],
    registered: seen,
    listed: listed.size,
    async all({ internal }) {
      const rows = await listEverything(engine, sight)
      const kept = internal ? rows : rows.filter((row) => !isPlumbing(row))
      const functions = await Promise.all(kept.sort(byId).map(explainOne))
      return { functions, leftOut: rows.length - kept.length }
    },
    async one(name) {
      const judged = (await findNamed(name, directory, view)) ?? (await findElsewhere(name))
      return judged && (await explainOne(judged))
    },
    async elsewhere(id) {
      const rows = (await askAll(engine)).filter(({ function_id }) => function_id === id)
      const namespaces = rows.flatMap(({ namespace }) => (typeof namespace === 'string' ? [namespace] : [])).sort()
      const shown = namespaces.filter((namespace) => sight.sees(namespace))
      return {
        tools: shown.map((namespace) => formatToolName(id, namespace)),
        outOfSight: namespaces.filter((namespace) => sight.find(namespace) === undefined),
      }
    },
    close: () => catalog.close(),
  }
}

function filterSeen(resources: Registered['resources'], principal: Principal): Registered['resources'] {
  return new Map([...resources].filter(([, row]) => seesRow(principal, row)))
}

async function findListed(catalog: Catalog, principal: Principal): Promise<ReadonlySet<string>> {
  const { tools } = JSON.parse(`{${readyMembers(await catalog.list('inlined', principal))}}`) as {
    tools: { name: string }[]
  }
  return new Set(tools.map(({ name }) => name))
}

async function askAll(engine: Worker): Promise<JsonObject[]> {
  const payload = { include_internal: true }
  const answer = await engine.trigger({ function_id: 'engine::functions::list', payload, timeoutMs: ASK_MS })
  return readFunctions(answer).filter(isRecord)
}

async function listEverything(engine: Worker, sight: Sight): Promise<Judged[]> {
  return (await askAll(engine)).flatMap(({ function_id: id, metadata, namespace }) => {
    const place = sight.find(namespace)
    return typeof id === 'string' && place !== undefined ? [{ id: toKey({ ...place, id }), metadata }] : []
  })
}

/** Of the engine, or what a worker has for the engine or for another worker: no client is meant to see it. */
function isPlumbing({ id, metadata }: Judged): boolean {
  return isInternalId(readKey(id).id) || (isRecord(metadata) && metadata['internal'] === true)
}

function byId(a: Judged, b: Judged): number {
  return compareText(a.id, b.id)
}
