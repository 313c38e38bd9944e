import type { ExposureRules } from '@iii/protocol'
import type { FunctionDetail, FunctionSource } from '../../gate/directory.ts'
import { refuseKey } from '../../gate/index.ts'
import { readKey, type Sight } from '../../gate/sight.ts'
import { eachInPieces } from '../../mcp/pieces.ts'
import { type ToolEntry, toToolEntry } from './tool-entry.ts'
import type { SchemaForm } from './tool-schemas.ts'

/** An entry, and what it was rendered from. */
export interface KeptTool extends ToolEntry, FunctionSource {
  readonly source: string
}

/** @param old what was rendered before: only what is new has to be */
export function toKeptTool(detail: FunctionDetail, form: SchemaForm, old: KeptTool | undefined): KeptTool {
  const source = JSON.stringify([detail, form])
  if (old?.source === source) return old
  return { source, detail: () => (JSON.parse(source) as [FunctionDetail])[0], ...toToolEntry(detail, form) }
}

/** Also of what comes to them meanwhile. */
export async function renderAll(
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
export function createPrune(
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

export function isOutOfSight(key: string, sight: Pick<Sight, 'sees'> | undefined): boolean {
  const { namespace } = readKey(key)
  return namespace !== undefined && sight?.sees(namespace) !== true
}
