import { type ExposureRules, isRecord, refuse, type Via } from '@iii/protocol'

/** A function as the engine has it. */
export interface Judged {
  readonly id: string
  readonly metadata: unknown
}

/** Something that a worker's author or an operator can change. */
interface Change {
  /** As an order: `set mcp.expose: true in its metadata`. */
  readonly text: string
  apply(state: State): State
}

/** What the rule judges. */
interface State {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly rules: ExposureRules
}

/**
 * What would show a hidden function, found by asking the rule itself again with each change, and with several where one is not enough.
 * So this never says anything that the gate would not do.
 *
 * @returns the shortest ways, each a sentence; none when no change helps
 *
 * @example
 * const rules = { requireExpose: true, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
 * findChanges({ id: 'orders::purge', metadata: {} }, rules, 'tool')
 * // ['set mcp.expose: true in its metadata', 'start the bridge without require_expose']
 */
export function findChanges({ id, metadata }: Judged, rules: ExposureRules, via: Via): string[] {
  const state: State = { metadata: isRecord(metadata) ? metadata : {}, rules }
  const candidates = [...toCandidates(id, rules), ...(via === 'section' ? [ONLY_READS] : [])]
  return findWays(candidates, (changes) => {
    const changed = changes.reduce((before, change) => change.apply(before), state)
    return refuse(id, changed.metadata, changed.rules, via) === undefined
  })
}

function toCandidates(id: string, { hiddenPrefixes, requireExpose, tier }: ExposureRules): Change[] {
  const hiding = hiddenPrefixes.filter((prefix) => id.startsWith(prefix))
  const changes: Change[] = [
    inMetadata('take internal: true out of its metadata', { internal: undefined }),
    inMetadata('set mcp.expose: true in its metadata', { 'mcp.expose': true }),
  ]
  if (tier !== undefined) changes.push(inMetadata(`set mcp.tier: '${tier}' in its metadata`, { 'mcp.tier': tier }))
  if (hiding.length > 0) {
    const rest = hiddenPrefixes.filter((prefix) => !hiding.includes(prefix))
    const named = hiding.map((prefix) => `'${prefix}'`).join(' and ')
    changes.push(inRules(`take ${named} out of hidden_prefixes`, { hiddenPrefixes: rest }))
  }
  if (requireExpose) changes.push(inRules('start the bridge without require_expose', { requireExpose: false }))
  if (tier !== undefined) changes.push(inRules('start the bridge without a tier', { tier: undefined }))
  if (tier !== undefined && !requireExpose) changes.push(inRules('set expose_all', { exposeAll: true }))
  return changes
}

/** The last way: a function that does change something is for callers of its tool alone. */
const ONLY_READS = inMetadata('set readOnlyHint: true and no destructiveHint in its annotations, if it only reads', {
  'mcp.annotations': { readOnlyHint: true },
})

function inMetadata(text: string, entries: Readonly<Record<string, unknown>>): Change {
  return { text, apply: ({ metadata, rules }) => ({ metadata: { ...metadata, ...entries }, rules }) }
}

function inRules(text: string, entries: Partial<ExposureRules>): Change {
  return { text, apply: ({ metadata, rules }) => ({ metadata, rules: { ...rules, ...entries } }) }
}

/** As few changes as help together, all choices of so many, each as a sentence; none where not even all of them help. */
export function findWays<C extends { readonly text: string }>(
  changes: readonly C[],
  helps: (some: readonly C[]) => boolean,
): string[] {
  for (let size = 1; size <= changes.length; size++) {
    const ways = listChoices(changes, size).filter(helps)
    if (ways.length > 0) return ways.map((way) => way.map(({ text }) => text).join(' and '))
  }
  return []
}

/** All choices of so many, in the order of the list. */
function listChoices<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) => listChoices(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]))
}
