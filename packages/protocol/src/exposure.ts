import { isInternalId } from './internal-namespaces.ts'
import { isRecord, readOwn } from './json.ts'
import { McpMetadata, readMcpField, readMcpMetadata } from './metadata.ts'
import { toVisible } from './visible-text.ts'

/** What the operator of a bridge decided. */
export interface ExposureRules {
  /** Only functions with `mcp.expose: true` are shown. */
  readonly requireExpose: boolean
  /** A tier does not ask for `mcp.expose: true` as well. Never opens an internal namespace. */
  readonly exposeAll: boolean
  /** Only functions whose `mcp.tier` equals it are shown. */
  readonly tier: string | undefined
  /** Literal beginnings of function ids that are never shown. */
  readonly hiddenPrefixes: readonly string[]
}

/** The way a call comes: a tool, a section that is read (`iii://fn/…`), or the handler of a prompt. */
export type Via = 'tool' | 'section' | 'prompt'

/** Why a function is neither shown nor called, with the text for the client. */
export interface Refusal {
  readonly reason: 'internal' | 'disabled' | 'not_exposed' | 'tier' | 'acts'
  readonly message: string
}

/** The tool that agents are told to follow `iii://` links with: always exposed and of every tier, unless hidden by name. */
export const FETCH_TOOL_ID = 'skill::fetch'

/**
 * The gate: every path that ends in a call of a function on behalf of a client passes it first. In this order: internal id or
 * `metadata.internal: true`, the operator's prefixes, an explicit `mcp.expose: false`, `mcp.expose: true` where it is asked for (by
 * `requireExpose`, or by a tier without `exposeAll`), the tier. Prompt handlers need no `mcp.expose`: their prompt was registered on
 * purpose; a tier that differs still hides them. A section calls no function that says of itself that it changes something: hosts read
 * addresses without asking anybody.
 *
 * A function with `mcp.expose: false` is refused in the words of its `mcp.refusal`, where it has any.
 *
 * An `mcp.expose` that is neither a boolean nor absent hides the function: somebody meant to say something.
 *
 * @param metadata the function's registration metadata, as the engine gives it.
 * @returns undefined when the function may be shown and called.
 * @throws TypeError where `rules` or `via` is missing: a gate that guesses them is none.
 *
 * @example
 * const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: ['internal_'] }
 * refuse('orders::create', {}, rules, 'tool') // undefined
 * refuse('state::set', {}, rules, 'tool')?.reason // 'internal'
 */
export function refuse(functionId: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  requireGate(rules, via)
  return (
    refuseInternal(functionId, metadata, via) ??
    refusePrefix(functionId, rules.hiddenPrefixes) ??
    (via === 'prompt' ? undefined : refuseUnexposed(functionId, metadata, rules)) ??
    refuseTier(functionId, metadata, rules, via) ??
    (via === 'section' ? refuseActing(functionId, metadata) : undefined)
  )
}

const words = 'refuse(functionId, metadata, rules, via)'

function requireGate(rules: unknown, via: unknown): void {
  if (!isRecord(rules) || !Array.isArray(rules['hiddenPrefixes'])) {
    const right = '{ requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }'
    throw new TypeError(`${words} needs the rules of the bridge, such as ${right}`)
  }
  if (typeof via !== 'string' || !Object.hasOwn(hiddenTexts, via)) {
    throw new TypeError(`${words} needs the way of the call: 'tool', 'section' or 'prompt'`)
  }
}

/**
 * The floor of the gate alone, which no setting moves: internal ids and `metadata.internal: true`.
 *
 * @example
 * refuseInternal('state::get', undefined, 'section')?.message
 * // "Function 'state::get' is in an internal namespace and cannot back a skill resource"
 */
export function refuseInternal(functionId: string, metadata: unknown, via: Via): Refusal | undefined {
  const internal = isRecord(metadata) && readOwn(metadata, 'internal') === true
  if (!internal && !isInternalId(functionId)) return undefined
  return { reason: 'internal', message: hiddenTexts[via](functionId) }
}

const hiddenTexts: Readonly<Record<Via, (id: string) => string>> = {
  tool: (id) => `Function '${id}' is in the iii-engine internal namespace and is not exposed as an MCP tool`,
  section: (id) => `Function '${id}' is in an internal namespace and cannot back a skill resource`,
  prompt: (id) => `Prompt handler '${id}' is in an internal namespace and cannot back a prompt`,
}

function refusePrefix(functionId: string, prefixes: readonly string[]): Refusal | undefined {
  if (!prefixes.some((prefix) => functionId.startsWith(prefix))) return undefined
  return { reason: 'disabled', message: `Function '${functionId}' is disabled on this server` }
}

function refuseUnexposed(functionId: string, metadata: unknown, rules: ExposureRules): Refusal | undefined {
  const expose = readMcpField(metadata, 'expose')
  const asked = rules.requireExpose || (rules.tier !== undefined && !rules.exposeAll)
  const shown = expose === undefined ? !asked || functionId === FETCH_TOOL_ID : expose === true
  if (shown) return undefined
  const own = expose === false ? readRefusal(metadata) : ''
  return { reason: 'not_exposed', message: own || notExposed(functionId) }
}

/** A worker's own words, as one line without what nobody sees. */
function readRefusal(metadata: unknown): string {
  const { data = '' } = McpMetadata.shape.refusal.safeParse(readMcpField(metadata, 'refusal'))
  return toVisible(data, ' ').replace(/\s+/g, ' ').trim()
}

function refuseTier(functionId: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  if (rules.tier === undefined || functionId === FETCH_TOOL_ID) return undefined
  const tier = readMcpField(metadata, 'tier')
  if (tier === rules.tier || (via === 'prompt' && tier === undefined)) return undefined
  return { reason: 'tier', message: notExposed(functionId) }
}

function refuseActing(functionId: string, metadata: unknown): Refusal | undefined {
  const hint = findActing(readMcpMetadata(metadata).annotations)
  if (hint === undefined) return undefined
  const message = `Function '${functionId}' changes something (it says ${hint}), so reading an address does not call it.`
  return { reason: 'acts', message }
}

/**
 * What a function says of itself that reading must not do; undefined for one that says nothing of the kind.
 *
 * @example
 * findActing({ destructiveHint: true }) // 'destructiveHint: true'
 */
export function findActing({ readOnlyHint, destructiveHint }: McpMetadata['annotations'] = {}): string | undefined {
  if (destructiveHint === true) return 'destructiveHint: true'
  return readOnlyHint === false ? 'readOnlyHint: false' : undefined
}

function notExposed(functionId: string): string {
  return `Function '${functionId}' is not exposed via mcp.expose metadata`
}
