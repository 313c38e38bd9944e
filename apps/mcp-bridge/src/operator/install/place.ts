import type { Block } from './block.ts'
import type { Client } from './clients.ts'
import { readJson } from './json-place.ts'
import { readToml } from './toml-place.ts'

/** A client's configuration, read, as far as one server of it is concerned. */
export interface Place {
  readonly problem?: undefined
  /** The whole file. */
  readonly text: string
  /** What stands under the name of the server; undefined for nothing. */
  readonly entry: unknown
  /** Where that is: `line 3: `. */
  readonly where: string
  /** All that the file says beside it. */
  readonly rest: unknown
  /** The file with this under the name, and nothing of what was there. */
  put(block: Block): string
  /** The file without the server. */
  remove(): string
}

/** A problem, with its line, for what the client could not read, or would read differently. */
export type Reading = Place | { readonly problem: string }

/** Reads the text of a configuration as the client does. */
export function readPlace(text: string, client: Client, name: string): Reading {
  return client.format === 'toml' ? readToml(text, client, name) : readJson(text, client, name)
}
