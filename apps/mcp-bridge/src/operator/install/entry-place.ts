import type { ServerBlock } from './block.ts'
import type { Client } from './clients.ts'

/** A client's configuration, read, as far as one server of it is concerned. */
export interface EntryPlace {
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
  put(block: ServerBlock): string
  /** The file without the server. */
  remove(): string
}

/** A problem, with its line, for what the client could not read, or would read differently. */
export type Reading = EntryPlace | { readonly problem: string }

/** Where in a client's configuration, and how far a command may go there. */
export interface EntryTarget {
  readonly client: Client
  /** The name of the server. */
  readonly name: string
  /** The file that runs now: an entry that starts it is ours. */
  readonly script: string
  /** Whatever else stands under the name may go. */
  readonly force: boolean
}
