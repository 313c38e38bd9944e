import type { Wire } from '../wire-clients.ts'
import {
  askingPromptOf,
  type FunctionId,
  isUnknown,
  PROMPT_TEXTS,
  promptOf,
  type ReasonTexts,
  resourceOf,
  SECTION_TEXTS,
  TOOL_TEXTS,
  templateOf,
  toReasonText,
} from './reasons.ts'

/** A way on which a request of a client ends in the call of a function that it names. */
export interface Path {
  readonly name: string
  toRequest(id: FunctionId): [method: string, params: Readonly<Record<string, unknown>>]
  /** The reply, as `toCell` shows it. */
  expect(id: FunctionId, wire: Wire): string
  /** It names the function without calling it, there and then. */
  readonly callsNothing?: true
  /** Where there is such a way. @default everywhere */
  readonly wires?: readonly Wire[]
  /** What there is nothing to refuse about, and would leave something behind. */
  readonly skips?: readonly FunctionId[]
}

/** What it takes to get there costs nothing else: nothing is stored should it come through. */
const INPUT = { scope: 'gate-matrix', key: 'leak', value: 1 }
const STDIO_ONLY = 'Error: This tool requires stdio transport (worker/trigger management is not available over HTTP)'
/** Where a trigger would lead to the function. */
export const ROUTE = '/gate-matrix'

const toSection = (id: string) => `iii://fn/${id.replaceAll('::', '/')}`
const toToolName = (id: string) => id.replaceAll('::', '__')
const isHttp = (wire: Wire) => wire.startsWith('HTTP')
/** The eras disagree about the code of a resource that is not there. */
const absent = (wire: Wire) => (wire.endsWith('2026-07-28') ? '-32602' : '-32002')

function callTool(id: FunctionId): ReturnType<Path['toRequest']> {
  return ['tools/call', { name: toToolName(id), arguments: INPUT }]
}

function callWrapped(id: FunctionId): ReturnType<Path['toRequest']> {
  return ['tools/call', { name: 'call_tool', arguments: { name: toToolName(id), arguments: INPUT } }]
}

function expectOfTool(id: FunctionId): string {
  if (isUnknown(id)) return `-32602 Unknown tool: ${toToolName(id)}`
  return refused(toReasonText(id, TOOL_TEXTS), 'Error: ')
}

/** What a hidden function declares is not there at all. */
function expectOfAddress(id: FunctionId, uri: string, code: string): string {
  const text = `Resource not found: ${uri}. A Resource URI must start with iii:// or skill://, or be one that a function declares`
  return refused(toReasonText(id, SECTION_TEXTS) && text, `${code} `)
}

function refused(text: string | undefined, before: string): string {
  return text === undefined ? 'allowed' : `${before}${text}`
}

/** A tool of ours that is told which function to do something with. */
function manage(
  what: string,
  tool: string,
  toInput: (id: FunctionId) => object,
  texts: ReasonTexts = TOOL_TEXTS,
): Path {
  return {
    name: `${tool}${what}`,
    toRequest: (id) => ['tools/call', { name: tool, arguments: toInput(id) }],
    expect: (id) => refused(toReasonText(id, texts), 'Error: '),
  }
}

/** What changes the engine is for the client that has started the bridge. */
function change(what: string, tool: string, toInput: (id: FunctionId) => object): Path {
  const path = manage(what, tool, toInput)
  return {
    ...path,
    expect: (id, wire) => (isHttp(wire) ? STDIO_ONLY : path.expect(id, wire)),
    callsNothing: true,
    skips: ['matrix::open'],
  }
}

function toTrigger(more: object, function_id: FunctionId = 'matrix::open'): object {
  return { trigger_type: 'http', function_id, config: { api_path: ROUTE, http_method: 'POST', ...more } }
}

function toFetch(id: FunctionId): object {
  return { function_id: 'skill::fetch', payload: { uri: toSection(id) } }
}

const PROGRAM = { language: 'node', code: '() => 1' }

export const PATHS: readonly Path[] = [
  { name: 'tools/call', toRequest: callTool, expect: expectOfTool },
  {
    name: 'tools/call as a task',
    toRequest: callTool,
    expect: expectOfTool,
    wires: ['HTTP on 2026-07-28', 'stdio on 2026-07-28'],
  },
  {
    name: 'resources/read of a section',
    toRequest: (id) => ['resources/read', { uri: toSection(id) }],
    expect: (id, wire) => refused(toReasonText(id, SECTION_TEXTS), `${isUnknown(id) ? absent(wire) : '-32602'} `),
  },
  {
    name: 'resources/read of what a function declares',
    toRequest: (id) => ['resources/read', { uri: resourceOf(id) }],
    expect: (id, wire) => expectOfAddress(id, resourceOf(id), absent(wire)),
  },
  {
    name: 'resources/read by a template of the function',
    toRequest: (id) => ['resources/read', { uri: templateOf(id, 'x') }],
    expect: (id, wire) => expectOfAddress(id, templateOf(id, 'x'), absent(wire)),
  },
  {
    name: 'completion for a template of the function',
    toRequest: (id) => [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: templateOf(id) }, argument: { name: 'part', value: '' } },
    ],
    expect: (id) => expectOfAddress(id, templateOf(id), '-32602'),
    callsNothing: true,
  },
  {
    name: 'resources/read of iii://functions/{id}',
    toRequest: (id) => ['resources/read', { uri: `iii://functions/${id}` }],
    expect: (id, wire) => refused(toReasonText(id, TOOL_TEXTS), `${isUnknown(id) ? absent(wire) : '-32602'} `),
    callsNothing: true,
  },
  {
    name: 'skill__fetch',
    toRequest: (id) => ['tools/call', { name: 'skill__fetch', arguments: { uris: ['iii://skills', toSection(id)] } }],
    expect: (id) => refused(toReasonText(id, SECTION_TEXTS), 'Error: '),
  },
  {
    name: 'prompts/get',
    toRequest: (id) => ['prompts/get', { name: promptOf(id) }],
    expect: (id) => refused(toReasonText(id, PROMPT_TEXTS), `${isUnknown(id) ? '-32603' : '-32602'} `),
  },
  {
    name: 'completion for a prompt of the function',
    toRequest: (id) => [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: promptOf(id) }, argument: { name: 'a', value: '' } },
    ],
    expect: (id) => refused(toReasonText(id, PROMPT_TEXTS), `${isUnknown(id) ? '-32603' : '-32602'} `),
    callsNothing: true,
  },
  {
    name: 'completion by the function',
    toRequest: (id) => [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: askingPromptOf(id) }, argument: { name: 'a', value: '' } },
    ],
    expect: (id) => refused(toReasonText(id, PROMPT_TEXTS), '-32602 '),
  },
  manage('', 'iii_trigger_void', (function_id) => ({ function_id, payload: INPUT })),
  manage(' of skill::fetch', 'iii_trigger_void', toFetch, SECTION_TEXTS),
  { ...manage('', 'iii_trigger_enqueue', (function_id) => ({ function_id, payload: INPUT })), skips: ['matrix::open'] },
  change(' as the target', 'iii_trigger_register', (id) => toTrigger({}, id)),
  change(' as the condition', 'iii_trigger_register', (id) => toTrigger({ condition_function_id: id })),
  change(' as middleware', 'iii_trigger_register', (id) =>
    toTrigger({ middleware_function_ids: ['matrix::open', id] }),
  ),
  {
    ...change(' under the name', 'iii_worker_register', (id) => ({ ...PROGRAM, function_name: id })),
    // The first is taken, and the second is what such a name should be.
    skips: ['matrix::open', 'matrix::nobody'],
  },
]

/** What there is only with `tools: search`. */
export const SEARCH_PATHS: readonly Path[] = [{ name: 'call_tool', toRequest: callWrapped, expect: expectOfTool }]
