import { type ExposureRules, formatToolName, parseToolName, parseUri } from '@iii/protocol'
import { EVERYBODY, type Principal } from '../../auth/principal.ts'
import type { Directory } from '../../gate/directory.ts'
import { toSectionUri } from '../../gate/section-uri.ts'
import { formatKey, type Placed, readKey, toKey } from '../../gate/sight.ts'
import type { DeclaredResources } from '../../resources/declared/index.ts'
import type { Catalog } from '../../tools/catalog/index.ts'
import type { Judged } from './changes.ts'
import { judge, type Verdict } from './verdict.ts'

/** All that clients see of one function, and do not. */
export interface Explained extends Placed {
  readonly tool: Verdict & { readonly name: string }
  readonly section: Verdict & { readonly uri: string | undefined }
  /** The registered prompts that it renders. */
  readonly prompts: readonly (Verdict & { readonly name: string })[]
}

/** What the functions of an engine are seen through. */
export interface SurveyView {
  readonly rules: ExposureRules
  readonly principal: Principal
  readonly catalog: Catalog
  readonly promptsOf: ReadonlyMap<string, readonly string[]>
  /** The addresses that functions declare. */
  readonly declared: DeclaredResources
  /** The names in the list of tools. */
  readonly listed: ReadonlySet<string>
  readonly isFull: boolean
}

/** Asks the gate's rule about a function, once for each way to it. */
export async function toExplained(judged: Judged, view: SurveyView): Promise<Explained> {
  const { rules, principal, catalog, promptsOf } = view
  const { id } = judged
  const placed = readKey(id)
  const here = { ...judged, id: placed.id }
  const name = formatToolName(placed.id, placed.namespace)
  const tool = judge(here, rules, 'tool', principal)
  const owner = tool.shown ? await catalog.find(name, principal) : id
  const isTaken = owner !== undefined && owner !== id
  const uri = toSectionUri(id)
  const section = judge(here, rules, 'section', principal)
  const handler = judge(here, rules, 'prompt', principal)
  return {
    ...placed,
    tool: { name, ...(isTaken ? toTaken(name, formatKey(owner)) : (toLeftOut(tool, name, view) ?? tool)) },
    section: { uri, ...(section.shown && uri === undefined ? NO_ADDRESS : section) },
    prompts: (promptsOf.get(id) ?? []).map((prompt) => ({ name: prompt, ...handler })),
  }
}

function toTaken(name: string, owner: string): Verdict {
  return {
    shown: false,
    rule: 'name_taken',
    reason: `the tool name ${name} belongs to ${owner}, whose id comes first`,
    changes: ['register one of the two under another id'],
  }
}

/** It passes the gate, and the list is full without it. */
function toLeftOut(tool: Verdict, name: string, { listed, isFull }: SurveyView): Verdict | undefined {
  if (!tool.shown || !isFull || listed.has(name)) return undefined
  return {
    shown: false,
    rule: 'list_full',
    reason: `the list of tools is full (${listed.size}), and its name comes behind theirs, or it is larger than they are; whoever knows it can call it all the same`,
    changes: ['hide others: with hidden_prefixes, a tier or require_expose'],
  }
}

const NO_ADDRESS: Verdict = {
  shown: false,
  rule: 'no_address',
  reason: 'its id has other characters than letters, digits, - and _ between its ::',
  changes: ['register it under another id'],
}

/** The function that a name leads to in the bridge's own namespace: its id, a tool, an address or a prompt. */
export async function findNamed(
  name: string,
  directory: Directory,
  { catalog, promptsOf, declared }: SurveyView,
): Promise<Judged | undefined> {
  const address = parseUri(name)
  const ofSection =
    address?.kind === 'section' ? toKey({ namespace: address.namespace, id: address.functionId }) : undefined
  const [ofPrompt] = [...promptsOf].find(([, prompts]) => prompts.includes(name)) ?? []
  // A tool name may be a function's id as well; the id is meant then, for it was there first.
  const all = [
    name,
    parseToolName(name),
    await catalog.find(name, EVERYBODY),
    ofSection,
    ofPrompt,
    (await declared.find(name, EVERYBODY))?.functionId,
  ]
  const ids = all.filter((id) => id !== undefined)
  const details = await directory.describe(ids)
  return ids.map((id) => details.get(id)).find((detail) => detail !== undefined)
}
