import { toOneLine } from '../markdown/plain-text.ts'
import { countAncestors, inTreeOrder } from '../skills/tree.ts'

/** One skill as the index shows it. */
export interface IndexEntry {
  id: string
  title: string
  summary: string | undefined
  /** False for an id that no `iii://` address leads to. */
  reachable: boolean
}

/** The index never grows beyond this many bytes; what does not fit is counted in its last line. */
export const MAX_INDEX_BYTES = 262_144

/** What the line takes at most that counts what does not fit. */
const NOTE_BYTES = 100

const HEADER = `# Skills

Each skill below says when and why to use some of this engine's functions. Open the address of the one that fits the task; an indented skill adds detail to the one above it, so open it only when you need that detail.
`

/**
 * Renders the `iii://skills` page: one row a skill, children under their parents.
 *
 * @example
 * toIndexPage([{ id: 'orders', title: 'Orders', summary: 'Create orders.', reachable: true }])
 * // # Skills … - [Orders](iii://orders) — Create orders.
 */
export function toIndexPage(entries: readonly IndexEntry[], maxBytes = MAX_INDEX_BYTES): string {
  if (entries.length === 0) return `${HEADER}\n_No skills are registered yet._\n`
  const known = new Set(entries.map((entry) => entry.id))
  const rows: string[] = []
  let room = maxBytes - Buffer.byteLength(`${HEADER}\n`)
  for (const entry of inTreeOrder(entries)) {
    const row = `${'  '.repeat(countAncestors(entry.id, known))}${toRow(entry)}\n`
    if (Buffer.byteLength(row) > room) return toCutPage(rows, entries.length, room)
    room -= Buffer.byteLength(row)
    rows.push(row)
  }
  return `${HEADER}\n${rows.join('')}`
}

/** As many of the rows as leave room for the line that counts the others. */
function toCutPage(rows: readonly string[], total: number, room: number): string {
  let shown = rows.length
  for (let left = room; left < NOTE_BYTES && shown > 0; shown--) left += Buffer.byteLength(rows[shown - 1] ?? '')
  const note = `\n_${total - shown} more skills do not fit here: \`skills::list\` names them all._\n`
  return `${HEADER}\n${rows.slice(0, shown).join('')}${note}`
}

function toRow(entry: IndexEntry): string {
  const title = escapeText(entry.title)
  const link = entry.reachable ? `[${title}](iii://${entry.id})` : `${title} (\`${toCode(entry.id)}\`, unreachable)`
  return entry.summary === undefined ? `- ${link}` : `- ${link} — ${defuse(entry.summary)}`
}

/** Escapes what could end a link text early or start markup of its own. */
function escapeText(text: string): string {
  return toOneLine(text).replace(/[\\`[\]<]/g, '\\$&')
}

/** A summary is read as text: no part of it may become a link or HTML, also not by a backslash that takes ours for its own. */
function defuse(text: string): string {
  return toOneLine(text).replaceAll('](', '] (').replace(/\\*</g, '\\<')
}

/** An id that no address leads to may hold anything. */
function toCode(id: string): string {
  return toOneLine(id).replaceAll('`', '?')
}
