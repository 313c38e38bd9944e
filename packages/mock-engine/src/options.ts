import type { RestrictedListener } from './access/authenticate.ts'
import type { LogLine } from './builtins/observability.ts'
import type { CorsSettings } from './http/cors.ts'

/** How an engine is started. */
export interface MockEngineOptions {
  /** Port of the worker bus; 0 takes any free one. @default 0 */
  readonly port?: number
  /** Port that http bindings are served on; 0 takes any free one. @default 0 */
  readonly httpPort?: number
  /** Address both ports listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Folder that state is kept in; without it state ends with the engine. */
  readonly dataDir?: string
  /** How long a response head may take before the client gets a 504, in milliseconds. @default 30000 */
  readonly httpTimeoutMs?: number
  /** How often the set of function ids is looked at for `engine::functions-available`, in milliseconds. @default 5000 */
  readonly functionsPollMs?: number
  /** Cross-origin settings of the HTTP port. Without them any page may call. */
  readonly cors?: CorsSettings
  /** Functions asked before every HTTP request. @default [] */
  readonly middleware?: readonly string[]
  /** A second bus listener whose workers may do less. */
  readonly restricted?: RestrictedListener
  /** How long a durable message lies before it is delivered, in milliseconds. @default 100 */
  readonly queuePollMs?: number
  /** The wait before the second delivery of a failing message, doubled for the third, in milliseconds. @default 1000 */
  readonly queueBackoffMs?: number
  /** Hears every line that workers log through `engine::log::*`, and the engine when it cannot write its state. */
  readonly log?: (line: LogLine) => void
}

/** The options with every default in place. */
export type ResolvedOptions = Required<Omit<MockEngineOptions, Optional>> & Pick<MockEngineOptions, Optional>

type Optional = 'dataDir' | 'cors' | 'restricted'

export function resolveOptions(options: MockEngineOptions): ResolvedOptions {
  return {
    port: 0,
    httpPort: 0,
    host: '127.0.0.1',
    httpTimeoutMs: 30_000,
    functionsPollMs: 5000,
    middleware: [],
    queuePollMs: 100,
    queueBackoffMs: 1000,
    log: () => {},
    ...options,
  }
}
