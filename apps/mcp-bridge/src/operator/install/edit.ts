import { isDeepStrictEqual } from 'node:util'
import type { ServerBlock } from './block.ts'
import type { Client } from './clients.ts'
import { formatDifference } from './difference.ts'
import type { EntryPlace, EntryTarget, Reading } from './entry-place.ts'
import { explainForeign, isSaidBy } from './foreign-entry.ts'
import { readJsonPlace } from './json-place.ts'
import { readToml } from './toml-place.ts'

/** A configuration file after a change; `text` is the same as before when there was nothing to change. */
export type Edit =
  | {
      readonly text: string
      /** How the entry is another one now, a line each: `- "command": "docker"`. Empty for one that was not there. */
      readonly difference: readonly string[]
      readonly problem?: undefined
    }
  | { readonly problem: string; readonly difference?: readonly string[]; readonly advice?: string }

/**
 * Puts a server into the text of a client's configuration. Everything else in it stays, comments too; of what stood under the name before
 * nothing does, unless it says the same already.
 *
 * @returns a problem, with its line, when the client could not read the text or something else stands under that name
 */
export function addServer(text: string, target: EntryTarget, block: ServerBlock): Edit {
  const place = readEntryPlace(text, target.client, target.name)
  if (place.problem !== undefined) return place
  if (isSaidBy(place.entry, block)) return { text, difference: [] }
  const difference = formatDifference(place.entry, block)
  const problem = explainForeign(place, target)
  if (problem !== undefined && !target.force) {
    return { problem, difference, advice: 'choose another --name, or put this one in its place with --force' }
  }
  return finish(place, target, () => place.put(block), difference)
}

/** Takes a server out again. @returns a problem, as above */
export function removeServer(
  text: string,
  target: EntryTarget,
  isOurs: (entry: unknown) => boolean = () => false,
): Edit {
  const place = readEntryPlace(text, target.client, target.name)
  if (place.problem !== undefined) return place
  if (place.entry === undefined) return { text, difference: [] }
  const difference = formatDifference(place.entry, undefined)
  const problem = isOurs(place.entry) ? undefined : explainForeign(place, target)
  if (problem !== undefined && !target.force) {
    return { problem, difference, advice: '--force takes it out all the same' }
  }
  return finish(place, target, () => place.remove(), difference)
}

/** Nothing leaves here that the client could not read, or that says anything else than before about the rest. */
function finish(
  place: EntryPlace,
  { client, name }: EntryTarget,
  change: () => string,
  difference: readonly string[],
): Edit {
  try {
    const text = change()
    const after = readEntryPlace(text, client, name)
    if (after.problem === undefined && isDeepStrictEqual(after.rest, place.rest)) return { text, difference }
  } catch {
    // The library finds no way to change it.
  }
  return {
    problem: 'it cannot be changed without harm to the rest of it',
    advice: 'put what --print prints in by hand',
  }
}

/** Reads the text of a configuration as the client does. */
export function readEntryPlace(text: string, client: Client, name: string): Reading {
  return client.format === 'toml' ? readToml(text, client, name) : readJsonPlace(text, client, name)
}
