import { cutUtf8 } from '@iii/protocol'

/** The one markdown document that `skill::fetch` answers. */

/** The text behind one address, or why there is none. */
export interface Section {
  uri: string
  text: string
}

/** The whole document never grows beyond this many bytes of UTF-8, and for an MCP client not beyond the limit of its results. */
export const MAX_DOCUMENT_BYTES = 1_048_576

const RULE = '\n\n---\n\n'
/** What each note about something left out may take. */
const NOTE_BYTES = 200

/**
 * Joins sections under the addresses they came from, in the order given.
 *
 * A section that would not fit is left out, and a closing line names it; a section that would never fit is cut and says so.
 */
export function toFetchDocument(sections: readonly Section[], maxBytes = MAX_DOCUMENT_BYTES): string {
  const parts = sections.map(({ uri, text }) => ({ uri, markdown: `${toHeading(uri)}${text.trimEnd()}` }))
  const whole = parts.map((part) => part.markdown).join(RULE)
  return Buffer.byteLength(whole) <= maxBytes ? whole : joinFitting(parts, maxBytes)
}

function toHeading(uri: string): string {
  return `# ${uri}\n\n`
}

interface Part {
  uri: string
  markdown: string
}

function joinFitting(parts: readonly Part[], maxBytes: number): string {
  const kept: string[] = []
  const left: string[] = []
  let room = maxBytes - toLeftOut(parts.map((part) => part.uri)).length - NOTE_BYTES
  for (const part of parts) {
    const bytes = Buffer.byteLength(part.markdown) + RULE.length
    const text = bytes <= room ? part.markdown : cutIfTooLargeAlone(part, room, maxBytes)
    if (text === undefined) left.push(part.uri)
    else {
      kept.push(text)
      room -= Buffer.byteLength(text) + RULE.length
    }
  }
  if (left.length > 0) kept.push(toLeftOut(left))
  return kept.join(RULE)
}

function toLeftOut(uris: readonly string[]): string {
  return `Left out, because the answer would be too large (fetch them in another call): ${uris.join(', ')}`
}

function cutIfTooLargeAlone({ uri, markdown }: Part, room: number, maxBytes: number): string | undefined {
  const bytes = Buffer.byteLength(markdown)
  const heading = Buffer.byteLength(toHeading(uri))
  if (bytes + NOTE_BYTES <= maxBytes || room <= NOTE_BYTES + heading) return undefined
  const shown = cutUtf8(markdown, room - NOTE_BYTES, '')
  return `${shown}

Cut here: ${Buffer.byteLength(shown)} of ${bytes} bytes fit into the answer; resources/read has the whole.`
}
