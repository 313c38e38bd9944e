import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REFUSAL } from '../connections/upgrade.ts'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { STATUS } from '../http/statuses.ts'
import * as outgoing from '../wire/outgoing.ts'
import { FRAME_TYPES } from '../wire/parse-frame.ts'
import {
  CONFIGURATIONS,
  ERROR_CODES,
  FRAMES_IN,
  FRAMES_OUT,
  FUNCTION_SOURCES,
  FUNCTIONS_OF_23,
  HTTP_HEADERS,
  HTTP_STATUSES,
  type Source,
  TRIGGER_TYPES,
  UPGRADE_STATUSES,
  WORKERS,
} from './provenance.ts'
import { loadTraces, type RecordedTrace, type Step } from './trace.ts'

const CONTRACT = [
  ...['1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '2.1', '2.2', '2.3', '2.4'],
  ...['3.1', '3.2', '3.3', '3.4', '3.5', '3.6', '4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '4.7', '4.8', '4.9'],
  ...['4.10', '4.11', '5', '6.1', '6.2', '6.3', '6.4', '7.1', '7.2', '7.3', '7.4', '7.5', '8.1', '8.2', '8.3'],
  ...['8.4', '8.5', '9', '10.1', '10.2', '10.3', '10.4', '10.5', '10.6', '10.7', '16'],
]
const MEASURED = [
  ...Array.from({ length: 12 }, (_, i) => `D${i + 1}`),
  ...Array.from({ length: 15 }, (_, i) => `N${i + 1}`),
  ...'abcdefghijklmn',
  'rbac',
]

const traces = new Map(
  ['../../traces/', '../../traces/measured/', '../../traces/0.23/', '../../traces/0.23/measured/']
    .flatMap((folder) => loadTraces(new URL(folder, import.meta.url)))
    .map((trace) => [trace.name, trace]),
)

/** Every step, those in any order too. */
function stepsOf({ steps }: RecordedTrace): Step[] {
  return steps.flatMap((step) => [step, ...(step.unordered ?? [])])
}

const responsesOf = (trace: RecordedTrace) =>
  stepsOf(trace).flatMap(({ expectHttp, expectHead }) => expectHttp ?? expectHead ?? [])

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}

function hasType(frame: unknown, type: string): boolean {
  return (frame as { readonly type?: unknown } | null | undefined)?.type === type
}

/** Somewhere in what is sent or expected stands this text as a whole. */
function mentions(trace: RecordedTrace, text: string): boolean {
  return stepsOf(trace).some((step) => JSON.stringify(step).replaceAll('\\"', '"').includes(`"${text}"`))
}

/** What is known about something the engine does: where from, whether a trace shows it, and what there really is. */
interface Ledger {
  readonly sources: Readonly<Record<string, readonly Source[]>>
  shows(trace: RecordedTrace, key: string): boolean
  present(engine: MockEngine): Promise<Iterable<string>> | Iterable<string>
}

async function idsOf(engine: MockEngine, functionId: string, list: string, key: string): Promise<string[]> {
  const result = (await engine.call(functionId, { include_internal: true })) as Record<string, Record<string, string>[]>
  return (result[list] ?? []).map((row) => String(row[key]))
}

/** What the sources say, comments and all: a thing that is written in another way has to be listed in another way. */
function scan(folder: string, pattern: RegExp): Set<string> {
  const files = readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
  const own = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing'))
  const texts = own.map((name) => readFileSync(new URL(`${folder}${name}`, import.meta.url), 'utf8'))
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')))
}

/** What the program hears that embeds the engine, and what a fault does on request. */
const NOT_OF_THE_ENGINE = [
  'TIMEOUT',
  'connection_lost',
  'engine_down',
  'invocation_failed',
  'question_unanswered',
  'result_invalid',
]

const MADE: Readonly<Record<string, string>> = {
  PONG: outgoing.PONG,
  formatHello: outgoing.formatHello('w', 't'),
  formatInvoke: outgoing.formatInvoke('i', 'f', '1', {}, undefined),
  formatRefusal: outgoing.formatRefusal({ code: 'c', message: 'm' }),
  formatRejection: outgoing.formatRejection({ code: 'FUNCTION_NAMESPACE_CONFLICT', namespace: 'n', ownerId: 'w' }),
  formatRegisterTrigger: outgoing.formatRegisterTrigger({
    id: 'i',
    triggerType: 't',
    functionId: 'f',
    config: '1',
    metadata: undefined,
    namespace: 'n',
    typeNamespace: 'n',
  }),
  formatRegistrationResult: outgoing.formatRegistrationResult('i', 't', 'f', { code: 'c', message: 'm' }),
  formatCallResult: outgoing.formatCallResult('i', 'f', {}, {}),
  formatUnregisterTrigger: outgoing.formatUnregisterTrigger('i', 't'),
}

const LEDGERS: Readonly<Record<string, Ledger>> = {
  'a frame that a worker sends': {
    sources: FRAMES_IN,
    shows: (trace, type) =>
      stepsOf(trace).some(({ send, sendText, sync }) =>
        sync ? type === 'ping' : hasType(send, type) || hasType(parse(sendText), type),
      ),
    present: () => FRAME_TYPES,
  },
  'a frame that the engine sends': {
    sources: FRAMES_OUT,
    shows: (trace, type) =>
      stepsOf(trace).some(
        ({ expect: wanted, expectRaw, sync }) =>
          (sync && type === 'pong') || hasType(wanted, type) || hasType(parse(expectRaw), type),
      ),
    present: () => Object.values(MADE).map((text) => String((parse(text) as { type: string }).type)),
  },
  'a function of the engine': {
    sources: FUNCTION_SOURCES,
    shows: (trace, id) =>
      stepsOf(trace).some(({ send }) => (send as { function_id?: string } | undefined)?.function_id === id),
    present: (engine) => idsOf(engine, 'engine::functions::list', 'functions', 'function_id'),
  },
  'a function of engine 0.23 alone': {
    sources: FUNCTIONS_OF_23,
    shows: (trace, id) => mentions(trace, id),
    async present() {
      await using engine = await startMockEngine({ engine: '0.23' })
      const ids = await idsOf(engine, 'engine::functions::list', 'functions', 'function_id')
      return ids.filter((id) => !(id in FUNCTION_SOURCES))
    },
  },
  'a trigger type of the engine': {
    sources: TRIGGER_TYPES,
    shows: (trace, id) =>
      stepsOf(trace).some(
        ({ send }) =>
          (send as { trigger_type?: string; data?: { trigger_type?: string } } | undefined)?.trigger_type === id,
      ),
    present: (engine) => idsOf(engine, 'engine::triggers::list', 'triggers', 'id'),
  },
  'a part of the engine': {
    sources: WORKERS,
    shows: mentions,
    present: (engine) => idsOf(engine, 'engine::workers::list', 'workers', 'name'),
  },
  'an id of settings': {
    sources: CONFIGURATIONS,
    shows: mentions,
    present: (engine) => idsOf(engine, 'configuration::list', 'configurations', 'id'),
  },
  'an error code': {
    sources: ERROR_CODES,
    shows: mentions,
    present() {
      const codes = scan('../', /(?:EngineError\(\s*|code: )'"?([A-Za-z_]+)"?'/g)
      return [...codes].filter((code) => !NOT_OF_THE_ENGINE.includes(code))
    },
  },
  'a status of the HTTP port': {
    sources: HTTP_STATUSES,
    shows: (trace, status) => responsesOf(trace).some((response) => response.status === Number(status)),
    present: () => Object.values(STATUS).map(String),
  },
  'a header of the HTTP port': {
    sources: HTTP_HEADERS,
    shows: (trace, name) => responsesOf(trace).some(({ headers = {} }) => (headers[name] ?? null) !== null),
    present: () => scan('../http/', /\.(?:set|append)\(\s*'([a-z-]+)'/g),
  },
  'a refusal of an upgrade': {
    sources: UPGRADE_STATUSES,
    shows: (trace, status) => stepsOf(trace).some(({ expectStatus }) => expectStatus === Number(status)),
    present: () => Object.values(REFUSAL).map(String),
  },
}

/** What is wrong with a source. */
function complain(source: Source, key: string, { shows }: Ledger): string | undefined {
  if (typeof source !== 'string') {
    if ('seen' in source) return /^0\.2[23]\./.test(source.seen) ? undefined : `${source.seen}: on which engine?`
    const known = 'contract' in source ? CONTRACT.includes(source.contract) : MEASURED.includes(source.measured)
    return known ? undefined : `${JSON.stringify(source)} is no section`
  }
  const trace = traces.get(source)
  if (!trace) return `there is no trace ${source}`
  return shows(trace, key) ? undefined : `the trace ${source} does not show it`
}

describe('nothing is invented', () => {
  it('every function that makes a frame is looked at', () => {
    expect(Object.keys(MADE).sort()).toEqual(Object.keys(outgoing).sort())
  })

  it.each(Object.entries(LEDGERS))('%s is listed if and only if there is one', async (_kind, { sources, present }) => {
    await using engine = await startMockEngine()
    expect(Object.keys(sources).sort()).toEqual([...new Set(await present(engine))].sort())
  })

  it.each(Object.entries(LEDGERS))(
    '%s is shown by the traces that are named, or stands in a section',
    (_kind, ledger) => {
      const complaints = Object.entries(ledger.sources).flatMap(([key, sources]) =>
        sources.flatMap((source) => {
          const complaint = complain(source, key, ledger)
          return complaint === undefined ? [] : [`${key}: ${complaint}`]
        }),
      )
      expect(complaints).toEqual([])
    },
  )
})
