import type { Diagnostic } from '../diagnostics/diagnostic.ts'

/** A server as its entry in the file describes it, checked and with every default in its place. */
export interface ServerConfig {
  /** First segment of the ids of its functions. */
  readonly name: string
  /** An executable, never a shell line. */
  readonly command: string
  readonly args: readonly string[]
  /** Absolute. */
  readonly cwd: string
  /** `trust: unsandboxed` is there: it runs with the rights of this worker. */
  readonly isTrusted: boolean
  /** `disabled: true`: it is kept in the file and not started. */
  readonly isDisabled: boolean
  readonly environment: EnvironmentPlan
  /** Which of its tools become functions, by the names that it gives them; `*` stands for any text. */
  readonly tools: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** `mcp.expose` of its functions; undefined leaves it to the gate. */
  readonly expose: boolean | undefined
  /** `mcp.tier` of its functions. */
  readonly tier: string | undefined
  readonly annotations: 'stricter' | 'as-is' | 'none'
  readonly timeouts: {
    readonly startMs: number
    readonly callMs: number
    readonly listMs: number
    readonly stopMs: number
  }
  readonly concurrency: { readonly calls: number; readonly waiting: number; readonly waitMs: number }
  readonly limits: { readonly messageBytes: number; readonly resultBytes: number; readonly tools: number }
  readonly changedTools: 'quarantine' | 'accept'
  /** Its resources and prompts are functions. */
  readonly operations: boolean
}

/** Where the environment of a server comes from; nothing of it is a value of a secret. */
export interface EnvironmentPlan {
  /** Names of variables of this worker, beside those that every server gets. */
  readonly inherit: readonly string[]
  readonly set: ReadonlyMap<string, EnvironmentSource>
}

export type EnvironmentSource =
  | { readonly kind: 'value'; readonly value: string }
  /** The variable of this worker that has the secret. */
  | { readonly kind: 'env'; readonly name: string }
  /** Absolute path of the file that has the secret. */
  | { readonly kind: 'file'; readonly path: string }

/** An entry of the file: a server, or what is wrong with it. One that is wrong costs nobody else anything. */
export type ServerEntry = GoodEntry | MalformedEntry

export interface GoodEntry {
  readonly name: string
  readonly config: ServerConfig
  /** What is worth saying and costs nothing: keys that nobody knows, or why the entry that the file has now does not count. */
  readonly warnings: readonly Diagnostic[]
}

export interface MalformedEntry {
  readonly name: string
  /** All that is wrong with it, a place each. */
  readonly problems: readonly Diagnostic[]
  /** It still says that the server is trusted and not disabled: where there was a good entry before, that one stays. */
  readonly keepsLastGood: boolean
}
