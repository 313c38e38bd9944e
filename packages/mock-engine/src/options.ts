import type { RestrictedListener } from './access/restricted-listener.ts'
import { ENGINES, type EngineGeneration } from './bus/generation.ts'
import type { FaultRule } from './faults/rule.ts'
import type { CorsSettings } from './http/cors.ts'
import type { LogLine } from './observability/log-functions.ts'
import type { SharedState } from './state/store.ts'
import { type ReadNames, refuseUnread, toGivenText } from './suggestions/mistyped.ts'

/** How an engine is started. */
export interface MockEngineOptions {
  /** The engine that it is like: 0.22.1, or the release candidate of 0.23. @default '0.22' */
  readonly engine?: EngineGeneration | undefined
  /** Port of the worker bus; 0 takes any free one. @default 0 */
  readonly port?: number | undefined
  /** Port that http bindings are served on; 0 takes any free one. @default 0 */
  readonly httpPort?: number | undefined
  /** Address both ports listen on. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** Folder that state is kept in; without it state ends with the engine. */
  readonly dataDir?: string | undefined
  /** State that several engines use at once, as those on one Redis do: {@link createSharedState}. Not together with `dataDir`. */
  readonly sharedState?: SharedState | undefined
  /** How long a response head may take before the client gets a 504, in milliseconds. @default 30000 */
  readonly httpTimeoutMs?: number | undefined
  /** How often the set of function ids is looked at for `engine::functions-available`, in milliseconds. @default 5000 */
  readonly functionsPollMs?: number | undefined
  /**
   * How long a connection may take to say its namespace before everything it has registered lands in the default one, in
   * milliseconds; only engine 0.23 waits. @default 5000
   */
  readonly namespaceGraceMs?: number | undefined
  /** Cross-origin settings of the HTTP port. Without them any page may call. */
  readonly cors?: CorsSettings | undefined
  /** Functions asked before every HTTP request. @default [] */
  readonly middleware?: readonly string[] | undefined
  /** A second bus listener whose workers may do less. */
  readonly restricted?: RestrictedListener | undefined
  /** How long a durable message lies before it is delivered, in milliseconds. @default 100 */
  readonly queuePollMs?: number | undefined
  /** The wait before the second delivery of a failing message, doubled for the third, in milliseconds. @default 1000 */
  readonly queueBackoffMs?: number | undefined
  /** What `${NAME}` in stored configuration stands for. @default {} */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Whether a result that breaks the schema which its function was registered with fails `call`. @default true */
  readonly strict?: boolean | undefined
  /** Turns off what is a defect of the engine, as far as the traces tag it so. @default false */
  readonly fixed?: boolean | undefined
  /** What goes wrong on request, from the start. More can be injected later. @default [] */
  readonly faults?: readonly FaultRule[] | undefined
  /** A whole number; faults that are left to chance repeat with it. @default 1 */
  readonly seed?: number | undefined
  /**
   * Hears every line that workers log, through `engine::log::*` or the logger of an SDK, and from the engine that it cannot
   * write its state and which faults strike (at most a line a second of each).
   */
  readonly log?: ((line: LogLine) => void) | undefined
}

/** The options with every default in place. */
export type ResolvedOptions = {
  readonly [K in Exclude<keyof MockEngineOptions, Optional>]-?: Exclude<MockEngineOptions[K], undefined>
} & Pick<MockEngineOptions, Optional>

type Optional = 'dataDir' | 'sharedState' | 'cors' | 'restricted'

const READ: ReadNames<MockEngineOptions> = {
  engine: true,
  port: true,
  httpPort: true,
  host: true,
  dataDir: true,
  sharedState: true,
  httpTimeoutMs: true,
  functionsPollMs: true,
  namespaceGraceMs: true,
  cors: true,
  middleware: true,
  restricted: true,
  queuePollMs: true,
  queueBackoffMs: true,
  env: true,
  strict: true,
  fixed: true,
  faults: true,
  seed: true,
  log: true,
}

const CORS: ReadNames<CorsSettings> = { allowedOrigins: true, allowedMethods: true }
/** What the engine's own configuration calls otherwise. */
const CORS_MEANT = { allowed_origins: 'allowedOrigins', allowed_methods: 'allowedMethods' }

/** What the command line calls otherwise, or a worker. */
const MEANT = { engineVersion: 'engine', version: 'engine', enginePort: 'port', fault: 'faults', state: 'dataDir' }

/** @throws an Error for options that cannot go together, a TypeError for one that is not read and for an engine that this cannot be. */
export function resolveOptions(options: MockEngineOptions): ResolvedOptions {
  refuseUnread('startMockEngine', options, READ, MEANT)
  const { engine = '0.22', faults = [] } = options
  if (!ENGINES.includes(engine)) {
    const right = ENGINES.map((one) => `'${one}'`).join(' or ')
    throw new TypeError(`startMockEngine takes ${right} as engine, not ${toGivenText(engine)}`)
  }
  if (!Array.isArray(faults)) throw new TypeError('startMockEngine takes faults as a list of rules')
  if (options.dataDir !== undefined && options.sharedState !== undefined) {
    throw new Error('state is either kept in a folder (dataDir) or shared with other engines (sharedState)')
  }
  if (options.cors !== undefined) refuseUnread('cors of startMockEngine', options.cors, CORS, CORS_MEANT)
  return {
    engine: '0.22',
    port: 0,
    httpPort: 0,
    host: '127.0.0.1',
    httpTimeoutMs: 30_000,
    functionsPollMs: 5000,
    namespaceGraceMs: 5000,
    middleware: [],
    queuePollMs: 100,
    queueBackoffMs: 1000,
    strict: true,
    fixed: false,
    env: {},
    faults: [],
    seed: 1,
    log: () => {},
    ...toGiven(options),
  }
}

/** An option that is undefined is one that was left out. */
function toGiven(options: MockEngineOptions): Partial<ResolvedOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
