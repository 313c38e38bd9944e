import { type ExposureRules, isRecord } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { answersToGrant, decide, toAccess } from '../../auth/decision.ts'
import type { Principal } from '../../auth/principal.ts'
import { createPerView } from '../../auth/view.ts'
import type { Directory, DirectoryRow, FunctionSource } from '../../gate/directory.ts'
import { refuseKey } from '../../gate/index.ts'
import { readKey } from '../../gate/sight.ts'
import { createKept, createKeptPerView } from '../../mcp/kept.ts'
import { eachInPieces } from '../../mcp/pieces.ts'
import type { EngineList } from './address.ts'
import { createFilling, createPage, type EnginePage, formatItem } from './page.ts'
import { BUSY, type ShownFunction, type TriggerFacts, toFunctionRow, toTriggerRows, toWorkerRows } from './rows.ts'

/** What there is on the engine, as far as a principal may see it. Never more than a second old. */
export interface EngineSurvey {
  shown(principal: Principal): Promise<readonly ShownFunction[]>
  /** All functions as JSON, an element a line. */
  functions(principal: Principal): Promise<string>
  page(word: EngineTable, principal: Principal): Promise<EnginePage>
  /** The engine or the rules have changed. */
  forget(): void
}

/** A list that is small, and another one each time: that of functions is neither. */
export type EngineTable = Exclude<EngineList, 'functions'>

export interface EngineSurveyOptions {
  readonly engine: Pick<Worker, 'trigger'>
  readonly directory: Pick<Directory, 'list' | 'describe' | 'sight' | 'triggersOf'>
  readonly catalog: {
    details(ids: readonly string[]): AsyncIterable<readonly (FunctionSource | undefined)[]>
    onEntries(listener: () => void): void
  }
  readonly rules: () => ExposureRules
  /** For each question to the engine. */
  readonly timeoutMs: number
}

/** A page is made of what was asked for before it: together they are as old as they may be. */
const PART_MS = 500

export function createEngineSurvey(options: EngineSurveyOptions): EngineSurvey {
  const { engine, directory, catalog, rules, timeoutMs } = options

  const all = createKept(async () => {
    const rows = await directory.list()
    const current = rules()
    return {
      rows: rows.filter(({ id, metadata }) => refuseKey(id, metadata, current, 'tool') === undefined),
      views: createPerView<readonly ShownFunction[]>(),
    }
  }, PART_MS)

  async function findShown(principal: Principal): Promise<readonly ShownFunction[]> {
    const { rows, views } = await all.get()
    const isSeen = ({ id, metadata }: DirectoryRow) => decide(principal, toAccess(readKey(id).id, metadata)) === 'allow'
    return views.get(principal, () => rows.filter(isSeen))
  }

  async function ask(functionId: string, member: string): Promise<unknown[]> {
    const answer = await engine.trigger({ function_id: functionId, timeoutMs })
    const rows = isRecord(answer) ? answer[member] : undefined
    if (!Array.isArray(rows)) throw new TypeError(`The engine answered ${functionId} without '${member}'`)
    return rows
  }

  const rowsOf = {
    workers: createKept(() => ask('engine::workers::list', 'workers'), PART_MS),
    triggers: createKept(() => ask('engine::registered-triggers::list', 'registered_triggers'), PART_MS),
  }
  const formatFunction = createFormat()

  async function formatFunctions(principal: Principal): Promise<string> {
    const ids = (await findShown(principal)).map(({ id }) => id)
    const page = createFilling()
    let unseen = ids.length
    for await (const sources of catalog.details(ids)) {
      unseen -= sources.length
      await eachInPieces(sources, (source) => source && page.add(formatFunction(source)))
      if (page.isFull) break
    }
    return page.text(unseen)
  }

  const makers: Readonly<Record<EngineTable, (principal: Principal) => Promise<EnginePage>>> = {
    async workers(principal) {
      const [rows, functions] = await Promise.all([rowsOf.workers.get(), findShown(principal)])
      const shown = toWorkerRows(rows, functions, directory.sight)
      // Calls of functions that a grant hides count as well.
      return createPage(answersToGrant(principal) ? shown.map((row) => ({ ...row, [BUSY]: null })) : shown)
    },
    async triggers(principal) {
      const [rows, functions] = await Promise.all([rowsOf.triggers.get(), findShown(principal)])
      return createPage(toTriggerRows(rows, await findTargets(directory, functions)))
    },
  }
  const functions = createKeptPerView(formatFunctions, PART_MS)
  const pages = {
    workers: createKeptPerView(makers.workers, PART_MS),
    triggers: createKeptPerView(makers.triggers, PART_MS),
  }

  function forget(): void {
    for (const kept of [all, functions, ...Object.values(rowsOf), ...Object.values(pages)]) kept.forget()
  }
  // The engine tells of functions seconds after they came: what the list of tools has by then, pages have too.
  catalog.onEntries(forget)

  return {
    ...{ shown: findShown, functions: functions.get },
    page: (word, principal) => pages[word].get(principal),
    forget,
  }
}

/** The item of each function on the page, made once: as long as it is the same, there is the same source of it. */
function createFormat(): (source: FunctionSource) => string {
  const made = new WeakMap<FunctionSource, string>()
  return (source) => {
    const text = made.get(source) ?? formatItem(toFunctionRow(source.detail()))
    made.set(source, text)
    return text
  }
}

/** A row of a trigger does not tell the namespace; where an id is in several, each of its functions is asked for its own. */
async function findTargets(
  directory: Pick<Directory, 'triggersOf'>,
  shown: readonly ShownFunction[],
): Promise<(trigger: TriggerFacts) => string | undefined> {
  const doubles = shown.filter(({ isDouble }) => isDouble)
  const byTrigger = await directory.triggersOf(doubles.map(({ id }) => id))
  const single = new Map(shown.filter(({ isDouble }) => !isDouble).map(({ id }) => [readKey(id).id, id]))
  return ({ id, functionId }) => byTrigger.get(id) ?? single.get(functionId)
}
