import { Document, isMap, isPair, isScalar, type YAMLMap } from 'yaml'
import { toShortLine } from '../configuration/malformed.ts'
import type { Import, ImportedServer } from './conversion.ts'

const MAX_NOTE_BYTES = 400
const TRUST =
  'to have it started, write here: trust: unsandboxed. It then runs with all rights of the worker; nothing else grants that, so look at the program first'

/** The YAML of what was taken over, with what a person has to do as comments where it has to be done. */
export function formatImport({ servers, leftOut }: Import, origin: string): string {
  const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]))
  const document = new Document({ servers: entries })
  document.commentBefore = ` Taken over from ${toNote(origin)}`
  const all = document.get('servers')
  if (isMap(all)) for (const server of servers) comment(all, server)
  const last = leftOut.flatMap(({ name, reasons }) =>
    reasons.map((reason) => ` left out: ${toNote(name)}: ${toNote(reason)}`),
  )
  if (last.length > 0) document.comment = last.join('\n')
  return document.toString({ lineWidth: 0 })
}

function comment(all: YAMLMap, { name, notes, variables }: ImportedServer): void {
  const entry = all.get(name)
  if (!isMap(entry)) return
  annotate(all, name, notes)
  const args = entry.get('args')
  if (typeof args === 'object' && args !== null) (args as { flow?: boolean }).flow = true
  const set = entry.getIn(['env', 'set'])
  if (isMap(set)) {
    for (const [variable, { note }] of variables) {
      const source = set.get(variable)
      if (isMap(source)) source.flow = true
      annotate(set, variable, note === undefined ? [] : [note])
    }
  }
  entry.comment = ` ${TRUST}`
}

/** Puts lines above a key. */
function annotate(map: YAMLMap, key: string, notes: readonly string[]): void {
  const pair = map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key)
  if (notes.length > 0 && pair !== undefined && isScalar(pair.key)) {
    pair.key.commentBefore = notes.map((note) => ` ${toNote(note)}`).join('\n')
  }
}

/** A text of somebody else's file on a line of its own. */
export function toNote(text: string): string {
  return toShortLine(text, MAX_NOTE_BYTES)
}
