import type { Readable, Writable } from 'node:stream'

/** How a process ended, as the SDK tells it of a process group. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | {
      readonly kind: 'not_started'
      readonly reason: 'not_found' | 'not_executable' | 'cwd_missing' | 'other'
      readonly message: string
    }

/** The process of a server, and everything that it has started. */
export interface ServerProcess {
  readonly pid: number | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when nobody of it is left. Never rejects. */
  readonly ended: Promise<Ending>
  /** Ends its input; after `graceMs` comes SIGTERM, after as much again SIGKILL. Resolves when it has ended. */
  stop(options: { readonly graceMs: number }): Promise<void>
}
