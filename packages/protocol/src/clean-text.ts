import { cutUtf8 } from './utf8.ts'
import { toVisible } from './visible-text.ts'

/** Texts that anybody who connects to the engine wrote, and that a model and its user read: nothing unseen, nothing endless. */

/** The longest description, in UTF-8 bytes. */
const MAX_DESCRIPTION_BYTES = 4_096
/** The longest title, in UTF-8 bytes. */
const MAX_TITLE_BYTES = 256

/**
 * A description of at most 4 KiB.
 *
 * @param instead what stands where characters were that nobody sees
 * @returns undefined for a text of which nothing is left
 */
export function toDescription(text: string | undefined, instead = ''): string | undefined {
  // Characters are bytes at least: what lies beyond is cut whatever it is.
  return text === undefined
    ? undefined
    : orNothing(cutUtf8(toVisible(text.slice(0, MAX_SOURCE), instead).trim(), MAX_DESCRIPTION_BYTES))
}

/** A title of at most 256 bytes, on one line; else as {@link toDescription}. */
export function toTitle(text: string | undefined, instead = ''): string | undefined {
  if (text === undefined) return undefined
  return orNothing(cutUtf8(toVisible(text.slice(0, MAX_SOURCE), instead).replace(/\s+/g, ' ').trim(), MAX_TITLE_BYTES))
}

/** Beyond this nothing is looked at. */
const MAX_SOURCE = 65_536

function orNothing(text: string): string | undefined {
  return text === '' ? undefined : text
}
