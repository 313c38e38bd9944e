import type { ExposureRules } from '@iii/protocol'
import type { FunctionDetail, FunctionSource } from '../../gate/directory.ts'
import { refuseKey } from '../../gate/index.ts'
import { readKey, type Sight } from '../../gate/sight.ts'
import { eachInPieces } from '../../mcp/pieces.ts'
import type { HiddenReport } from './report.ts'
import { type ToolEntry, toToolEntry } from './tool-entry.ts'
import type { SchemaForm } from './tool-schemas.ts'

/** An entry, and what it was rendered from. */
export interface KeptTool extends ToolEntry, FunctionSource {
  readonly source: string
}

/** The tools of functions, as the engine told them. */
export interface KeptTools {
  /** By function: the same map, whatever comes and goes. */
  readonly entries: ReadonlyMap<string, KeptTool>
  /**
   * Asks of these functions, and takes in what the engine says of them. What is learned meanwhile is newer.
   *
   * @param others what is there beside them: whatever is neither has gone @default nothing has gone
   * @returns whether one is another
   */
  ask(ids: readonly string[], others?: readonly string[]): Promise<boolean>
  /** @returns whether it is another, or gone */
  learn(id: string, detail: FunctionDetail | undefined): boolean
  /** Takes away what the rules hide now. @returns whether there was something */
  prune(): boolean
}

export interface KeptToolsOptions {
  readonly describe: (ids: readonly string[]) => Promise<Map<string, FunctionDetail>>
  readonly rules: () => ExposureRules
  readonly sight?: Pick<Sight, 'sees'> | undefined
  readonly schemaForm?: (() => SchemaForm) | undefined
  readonly report: Pick<HiddenReport, 'problems'>
}

export function createKeptTools({ describe, rules, sight, schemaForm, report }: KeptToolsOptions): KeptTools {
  const entries = new Map<string, KeptTool>()
  /** What a look was told and is making tools of. */
  let heard: Map<string, FunctionDetail> | undefined
  const prune = createPrune(rules, sight)
  const render = (detail: FunctionDetail) => toKeptTool(detail, schemaForm?.() ?? {}, entries.get(detail.id))

  function put(detail: FunctionDetail, kept = render(detail)): boolean {
    const isHidden = refuseKey(detail.id, detail.metadata, rules(), 'tool') !== undefined
    if (isHidden || isOutOfSight(detail.id, sight)) return entries.delete(detail.id)
    report.problems(kept)
    if (entries.get(detail.id) === kept) return false
    entries.set(detail.id, kept)
    return true
  }

  function retain(ids: ReadonlySet<string>): void {
    for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id)
  }

  return {
    entries,
    async ask(ids, others) {
      const details = await describe(ids)
      heard = details
      const made = await renderAll(details, render)
      heard = undefined
      if (others !== undefined) retain(new Set(others))
      return [...details.values()].map((detail) => put(detail, made.get(detail))).includes(true)
    },
    learn(id, detail) {
      if (detail !== undefined) {
        heard?.set(id, detail)
        return put(detail)
      }
      heard?.delete(id)
      return entries.delete(id)
    },
    prune: () => prune(entries),
  }
}

/** @param old what was rendered before: only what is new has to be */
function toKeptTool(detail: FunctionDetail, form: SchemaForm, old: KeptTool | undefined): KeptTool {
  const source = JSON.stringify([detail, form])
  if (old?.source === source) return old
  return { source, detail: () => (JSON.parse(source) as [FunctionDetail])[0], ...toToolEntry(detail, form) }
}

/** Also of what comes to them meanwhile. */
async function renderAll(
  details: ReadonlyMap<string, FunctionDetail>,
  render: (detail: FunctionDetail) => KeptTool,
): Promise<ReadonlyMap<FunctionDetail, KeptTool>> {
  const made = new Map<FunctionDetail, KeptTool>()
  await eachInPieces(details.values(), (detail) => made.set(detail, render(detail)))
  return made
}

/**
 * Takes away what the rules hide, each time that they have changed: the engine may not answer for long, and the list must not tell that
 * long what has been hidden. Says whether there was something.
 */
function createPrune(
  rules: () => ExposureRules,
  sight: Pick<Sight, 'sees'> | undefined,
): (entries: Map<string, KeptTool>) => boolean {
  let heldTo = JSON.stringify(rules())
  return (entries) => {
    const current = rules()
    const text = JSON.stringify(current)
    const isRuled = text !== heldTo
    heldTo = text
    const isHidden = (key: string, kept: KeptTool) =>
      isRuled && refuseKey(key, kept.detail().metadata, current, 'tool') !== undefined
    const hidden = [...entries].filter(([key, kept]) => isOutOfSight(key, sight) || isHidden(key, kept))
    for (const [id] of hidden) entries.delete(id)
    return hidden.length > 0
  }
}

function isOutOfSight(key: string, sight: Pick<Sight, 'sees'> | undefined): boolean {
  const { namespace } = readKey(key)
  return namespace !== undefined && sight?.sees(namespace) !== true
}
