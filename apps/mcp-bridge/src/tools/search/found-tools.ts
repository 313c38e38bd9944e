import { cutUtf8, type JsonObject } from '@iii/protocol'
import { readKey } from '../../gate/sight.ts'
import type { ListForm } from '../catalog/held-lists.ts'
import type { ToolEntry } from '../catalog/tool-entry.ts'
import type { Detail } from './tool-rows.ts'

/** What a search brings, as data. There are no scores: they would tell of tools that whoever asks does not see. */
export interface FoundTools extends JsonObject {
  readonly tools: readonly JsonObject[]
  /** How many more fit what was asked for. */
  readonly left_out: number
  /** What to do where nothing was found. */
  readonly hint?: string
}

export interface FoundForm {
  readonly detail: Detail
  readonly form: ListForm
}

const MAX_BYTES = 32_768
const MAX_DESCRIPTION_BYTES = 600
/** The arguments of so many are told. */
const WITH_SCHEMA = 5

/** @param total how many there are, beyond those that are told too */
export function toFoundTools(entries: readonly ToolEntry[], total: number, { detail, form }: FoundForm): FoundTools {
  const tools = entries.map((entry, at) => toRow(entry, form, at < WITH_SCHEMA ? detail : toLess(detail)))
  for (let at = tools.length - 1; at >= 0 && isTooLarge(tools); at -= 1) {
    const entry = entries[at]
    if (entry !== undefined) tools[at] = toRow(entry, form, toLess(detail))
  }
  while (tools.length > 1 && isTooLarge(tools)) tools.pop()
  return { tools, left_out: total - tools.length }
}

/** The same for whoever sees the same tools, whatever else there is. */
export function toNothingFound(visible: readonly ToolEntry[]): FoundTools {
  const namespaces = [...new Set(visible.map(({ functionId }) => readKey(functionId).id.split('::')[0] ?? ''))]
  const named = namespaces.sort().slice(0, MAX_NAMESPACES)
  const there =
    named.length === 0
      ? 'There are no tools.'
      : `There are tools of ${named.map(toLabel).join(', ')}${more(namespaces)}.`
  return { tools: [], left_out: 0, hint: `No tool was found. Say it in other words, or in fewer. ${there}` }
}

const MAX_NAMESPACES = 50
const MAX_LABEL_LENGTH = 64

function more(all: readonly string[]): string {
  return all.length > MAX_NAMESPACES ? ` and ${all.length - MAX_NAMESPACES} others` : ''
}

function toLabel(namespace: string): string {
  return namespace.slice(0, MAX_LABEL_LENGTH).replace(/\p{C}/gu, '').toWellFormed()
}

function toLess(detail: Detail): Detail {
  return detail === 'full' ? 'brief' : detail
}

function isTooLarge(tools: readonly JsonObject[]): boolean {
  return Buffer.byteLength(JSON.stringify(tools)) > MAX_BYTES
}

function toRow(entry: ToolEntry, form: ListForm, detail: Detail): JsonObject {
  if (detail === 'names') return { name: entry.name }
  const { name, title, description, annotations, inputSchema } = JSON.parse(entry.json[form]) as JsonObject
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: cutUtf8(String(description), MAX_DESCRIPTION_BYTES),
    ...(annotations === undefined ? {} : { annotations }),
    ...(detail === 'full' ? { inputSchema } : {}),
  }
}
