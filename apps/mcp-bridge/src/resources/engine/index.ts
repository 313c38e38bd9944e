import { type ExposureRules, type JsonObject, MAX_URI_LENGTH } from '@iii/protocol'
import { suggestNames } from '@iii/sdk'
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/principal.ts'
import type { Denial, Gate } from '../../gate/index.ts'
import { type Placed, readKey, type Sight, toKey } from '../../gate/sight.ts'
import { suggestFrom, toMatching } from '../../gate/unknown-name.ts'
import { type EngineItem, type EngineList, type EngineUri, formatItemUri, parseEngineUri } from './address.ts'
import { ENGINE_RESOURCES, ENGINE_TEMPLATES, PLACED_TEMPLATES, toListOfTemplate } from './listing.ts'
import { type EnginePage, formatItem } from './page.ts'
import { BUSY, toFunctionRow } from './rows.ts'
import { createEngineSurvey, type EngineSurvey, type EngineSurveyOptions } from './survey.ts'

export { isEnginePage, parseEngineUri } from './address.ts'

/** What there is on the engine, as resources: `iii://functions`, `iii://workers`, `iii://triggers`, `iii://context`. */
export interface EngineResources {
  /** Rows of `resources/list`; none where they are switched off. */
  resources(): readonly Resource[]
  /** Rows of `resources/templates/list`. */
  templates(): readonly ResourceTemplateType[]
  /**
   * The text at an address of these, as JSON, or why there is none.
   *
   * @param uri the same as its client wrote it
   * @throws what the engine says
   */
  read(address: EngineUri, uri: string, principal: Principal): Promise<EngineText | Denial>
  /** Goes on after what is not there, with what is near that the client may see. Never rejects. */
  advise(denial: Denial, address: EngineUri, principal: Principal): Promise<Denial>
  /** The same text without what is no news: it changes when there is something to tell. @throws what the engine says */
  look(uri: string, principal: Principal): Promise<string>
  /** What the variable of a template may be, by what was typed of it; undefined for a template of anybody else. */
  complete(uriTemplate: string, argument: Argument, principal: Principal): Promise<readonly string[] | undefined>
  /** The ids of all functions that a principal may see, sorted. @throws what the engine says */
  functionIds(principal: Principal): Promise<readonly string[]>
  /** The engine or the rules have changed. */
  forget(): void
}

export interface EngineText {
  readonly allowed: true
  readonly text: string
}

/** What a client wants to have completed. */
export interface Argument {
  readonly name: string
  readonly value: string
}

export interface EngineResourcesOptions extends EngineSurveyOptions {
  readonly gate: Pick<Gate, 'admit'>
  /** Has the operator left them on? */
  readonly isOn: () => boolean
  /** Of this bridge. */
  readonly version: string
}

/** What is asked for, and for whom. */
interface Asked {
  readonly word: EngineList
  readonly placed: Placed
  readonly principal: Principal
}

export function createEngineResources(options: EngineResourcesOptions): EngineResources {
  const { gate, isOn } = options
  const { sight } = options.directory
  const survey = createEngineSurvey(options)

  async function readItem(uri: string, { word, placed, principal }: Asked): Promise<EngineText | Denial> {
    if (word !== 'functions') {
      const row = findRow(await survey.page(word, principal), word, placed)
      return row === undefined ? nothingAt(uri) : found(formatItem(row))
    }
    const pass = await gate.admit(toKey(placed), 'tool', principal)
    return pass.allowed ? found(formatItem(toFunctionRow(pass.detail))) : pass
  }

  async function suggest(denial: Denial, { word, placed: { namespace, id }, principal }: Asked): Promise<Denial> {
    const all = await listPlaced(survey, word, principal)
    const ids = toUnique(all.filter((row) => row.namespace === namespace).map((row) => row.id))
    const nearest = suggestFrom(id, ids).map((near) => formatItemUri(word, { namespace, id: near }))
    return { ...denial, message: `${denial.message}${suggestNames(nearest, `iii://${word} has all of them`)}` }
  }

  async function read(address: EngineUri, uri: string, principal: Principal): Promise<EngineText | Denial> {
    if (!isOn()) return disabled(uri)
    if (address.kind === 'nothing') return nothingAt(uri)
    if (address.kind === 'item') {
      return readItem(uri, { word: address.word, placed: toPlaced(address, sight), principal })
    }
    if (address.word === 'context') return found(formatItem(toContext(options.rules(), options.version)))
    if (address.word === 'functions') return found(await survey.functions(principal))
    return found((await survey.page(address.word, principal)).text())
  }

  return {
    resources: () => (isOn() ? ENGINE_RESOURCES : []),
    templates: () => (isOn() ? [...ENGINE_TEMPLATES, ...(sight.isWide ? PLACED_TEMPLATES : [])] : []),
    read,
    async advise(denial, address, principal) {
      if (denial.reason !== 'unknown' || address.kind !== 'item') return denial
      const { word } = address
      return suggest(denial, { word, placed: toPlaced(address, sight), principal }).catch(() => denial)
    },
    async look(uri, principal) {
      const answer = await read(parseEngineUri(uri) ?? { kind: 'nothing' }, uri, principal)
      if (!answer.allowed) return answer.message
      return answer.text.replaceAll(COUNT_OF_CALLS, '')
    },
    async complete(uriTemplate, { name, value }, principal) {
      const listed = isOn() ? toListOfTemplate(uriTemplate) : undefined
      if (listed === undefined || (listed.isPlaced && !sight.isWide)) return undefined
      const found = await listPlaced(survey, listed.word, principal)
      const fitting = found.filter(({ namespace }) => (namespace !== undefined) === listed.isPlaced)
      if (name === 'namespace' && listed.isPlaced)
        return toMatching(toUnique(fitting.map((row) => row.namespace)), value)
      return name === 'id' ? toMatching(toUnique(fitting.map(({ id }) => id)), value) : []
    },
    async functionIds(principal) {
      const found = await listPlaced(survey, 'functions', principal)
      return found.flatMap(({ namespace, id }) => (namespace === undefined ? [id] : []))
    },
    forget: () => survey.forget(),
  }
}

function toContext({ requireExpose, exposeAll, tier }: ExposureRules, version: string): JsonObject {
  const asksForExpose = requireExpose || (tier !== undefined && !exposeAll)
  return {
    sdk_version: version,
    function_id_delimiter: '::',
    tool_name_delimiter: '__',
    metadata_filtering: { 'mcp.expose': asksForExpose, ...(tier === undefined ? {} : { 'mcp.tier': tier }) },
  }
}

const COUNT_OF_CALLS = new RegExp(`"${BUSY}":\\d+`, 'g')

/** A worker is found by its name too; of several with one name, the one that came last. */
function findRow(page: EnginePage, word: EngineList, { namespace, id }: Placed): JsonObject | undefined {
  const rows = page.rows.filter((row) => row['namespace'] === namespace)
  const row = rows.find((each) => each['id'] === id)
  if (row !== undefined || word !== 'workers') return row
  const named = rows.filter(({ name }) => name === id)
  return named.toSorted((a, b) => Number(b['connected_at_ms']) - Number(a['connected_at_ms']))[0]
}

async function listPlaced(survey: EngineSurvey, word: EngineList, principal: Principal): Promise<Placed[]> {
  if (word === 'functions') return (await survey.shown(principal)).map(({ id }) => readKey(id))
  const { rows } = await survey.page(word, principal)
  return rows.map(({ id, name, namespace }) => ({
    id: String(word === 'workers' ? name : id),
    namespace: typeof namespace === 'string' ? namespace : undefined,
  }))
}

function toUnique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text) => text !== undefined))]
}

/** An id of our own may begin like a namespace that is not seen. */
function toPlaced({ id, elsewhere }: EngineItem, sight: Sight): Placed {
  const place = elsewhere && sight.find(elsewhere.namespace)
  return elsewhere === undefined || place === undefined ? { namespace: undefined, id } : { ...place, id: elsewhere.id }
}

function found(text: string): EngineText {
  return { allowed: true, text }
}

function nothingAt(uri: string): Denial {
  return { allowed: false, reason: 'unknown', message: `Resource not found: ${shorten(uri)}` }
}

function disabled(uri: string): Denial {
  const message = `Resource '${shorten(uri)}' is disabled on this server`
  return { allowed: false, reason: 'disabled', message }
}

function shorten(uri: string): string {
  return uri.slice(0, MAX_URI_LENGTH).toWellFormed()
}
