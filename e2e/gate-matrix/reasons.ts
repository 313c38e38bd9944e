import type { Worker } from '@iii/sdk'

/** Why a function is out of reach of the clients of a bridge with the settings below; each for one reason alone. */

/** Only what asks to be shown, to agents, and nothing of `secret::`. */
export const SETTINGS = `
require_expose: true
tier: agent
hidden_prefixes: ["secret::"]
allow_run: true
`

const SHOWN = { 'mcp.expose': true, 'mcp.tier': 'agent' }

/** `undefined` is a function that nobody has registered for us: one of the engine, or none at all. */
const FUNCTION_METADATA = {
  'matrix::open': SHOWN,
  'shell::matrix': SHOWN,
  'STATE::matrix': SHOWN,
  'matrix::inner': { ...SHOWN, internal: true },
  'state::set': undefined,
  'secret::matrix': SHOWN,
  'matrix::quiet': { 'mcp.tier': 'agent' },
  'matrix::closed': { ...SHOWN, 'mcp.expose': false },
  'matrix::ops': { ...SHOWN, 'mcp.tier': 'ops' },
  'matrix::nobody': undefined,
} as const satisfies Record<string, object | undefined>

/** The same for tools of MCP servers: what the file of `mcp-client` says of each server. */
export const FOREIGN = {
  'foreign-open::echo': { expose: true, tier: 'agent' },
  'foreign-quiet::echo': { tier: 'agent' },
  'foreign-closed::echo': { expose: false, tier: 'agent' },
  'foreign-ops::echo': { expose: true, tier: 'ops' },
} as const satisfies Record<string, object>

export type FunctionId = keyof typeof FUNCTION_METADATA | keyof typeof FOREIGN
export const IDS = Object.keys(FUNCTION_METADATA) as readonly FunctionId[]
export const FOREIGN_IDS = Object.keys(FOREIGN) as readonly FunctionId[]

export type Reason = 'internal' | 'prefix' | 'unexposed' | 'tier' | 'unknown'
const REASONS: Readonly<Record<FunctionId, Reason | undefined>> = {
  'matrix::open': undefined,
  'shell::matrix': 'internal',
  'STATE::matrix': 'internal',
  'matrix::inner': 'internal',
  'state::set': 'internal',
  'secret::matrix': 'prefix',
  'matrix::quiet': 'unexposed',
  'matrix::closed': 'unexposed',
  'matrix::ops': 'tier',
  'matrix::nobody': 'unknown',
  'foreign-open::echo': undefined,
  'foreign-quiet::echo': 'unexposed',
  'foreign-closed::echo': 'unexposed',
  'foreign-ops::echo': 'tier',
}

/** What a client reads, by how it wanted to reach the function; undefined where the reason is none there. */
export type ReasonTexts = Readonly<Record<Reason, ((id: string) => string) | undefined>>

const notExposed = (id: string) => `Function '${id}' is not exposed via mcp.expose metadata`
const common = {
  prefix: (id: string) => `Function '${id}' is disabled on this server`,
  unexposed: notExposed,
  tier: notExposed,
  unknown: (id: string) => `Function '${id}' is not registered on the engine`,
}
export const TOOL_TEXTS = {
  ...common,
  internal: (id: string) =>
    `Function '${id}' is in the iii-engine internal namespace and is not exposed as an MCP tool`,
} satisfies ReasonTexts
export const SECTION_TEXTS = {
  ...common,
  internal: (id: string) => `Function '${id}' is in an internal namespace and cannot back a skill resource`,
} satisfies ReasonTexts
/** Whatever a prompt needs is named by whoever registered the prompt, and need not be exposed. */
export const PROMPT_TEXTS = {
  ...common,
  unexposed: undefined,
  internal: (id: string) => `Prompt handler '${id}' is in an internal namespace and cannot back a prompt`,
} satisfies ReasonTexts

/** @returns undefined where nothing speaks against it */
export function toReasonText(id: FunctionId, texts: ReasonTexts): string | undefined {
  const reason = REASONS[id]
  return reason && texts[reason]?.(id)
}

export function isUnknown(id: FunctionId): boolean {
  return REASONS[id] === 'unknown'
}

export const promptOf = (id: string) => `by-${toWord(id)}`
/** Its handler may be called; what completes its arguments is the function. */
export const askingPromptOf = (id: string) => `asks-${toWord(id)}`
export const resourceOf = (id: string) => `matrix://${toWord(id)}`
/** Of all addresses that it renders; `part` is their variable. */
export const templateOf = (id: string, part = '{part}') => `matrix://parts-of-${toWord(id)}/${part}`
const toWord = (id: string) => id.toLowerCase().replaceAll('::', '-')

/** Offers all of them, and a prompt for each. @returns the ids of those that ran, in that order */
export function offerMatrix(worker: Worker): string[] {
  const ran: string[] = []
  for (const [id, metadata] of Object.entries(FUNCTION_METADATA)) {
    const resource = { uri: resourceOf(id), name: id }
    const template = { uriTemplate: templateOf(id), name: id }
    const mcp = { task: 'optional', resource, template }
    const run = (input: unknown) => {
      ran.push(id)
      return isCompletion(input) ? [id] : { content: id }
    }
    if (metadata !== undefined) worker.registerFunction(id, run, { metadata: { ...metadata, mcp } })
    const asking = { metadata: { ...SHOWN, 'mcp.complete': id } }
    worker.registerFunction(`asking::${toWord(id)}`, () => ({ content: 'asking' }), asking)
  }
  return ran
}

function isCompletion(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'ref' in input
}

/** Stores a prompt for each, past the registry, which would not take them all. */
export async function storePrompts(worker: Worker): Promise<void> {
  const store = (name: string, function_id: string) => {
    const value = { name, description: name, arguments: [], function_id, registered_at: '2026-01-02T03:04:05Z' }
    return worker.trigger({ function_id: 'state::set', payload: { scope: 'prompts', key: name, value } })
  }
  for (const id of IDS) {
    await store(promptOf(id), id)
    await store(askingPromptOf(id), `asking::${toWord(id)}`)
  }
}
