import {
  HIDDEN_PREFIXES_OPTION,
  type OptionConflict,
  type OptionSpec,
  type OptionTable,
  withEnvironment,
} from '@iii/sdk'
import { z } from 'zod'
import { AuthBlock, type AuthSettings } from './auth/settings/auth-block.ts'
import { ADDRESS_OPTIONS, type AddressOptions } from './mcp/address-options.ts'
import { TELEMETRY_OPTIONS, type TelemetryOptions } from './telemetry/options.ts'

/** What the operator of a bridge can set. */
export interface BridgeOptions extends AddressOptions, TelemetryOptions {
  /** Literal beginnings of function ids to hide, beside what is always hidden. @default [] */
  readonly hiddenPrefixes: readonly string[]
  /** Namespaces to show functions of beside the bridge's own, on an engine that has some; `*` is all. @default [] */
  readonly namespaces: readonly string[]
  /** Show only functions with `mcp.expose: true` in their metadata. @default false */
  readonly requireExpose: boolean
  /** With a tier: do not ask for `mcp.expose: true` as well. Nothing that is always hidden is shown. @default false */
  readonly exposeAll: boolean
  /** Show only functions whose `mcp.tier` equals this. @default undefined */
  readonly tier: string | undefined
  /** Who may ask, and what each of them may. @default undefined: nobody is asked who they are */
  readonly auth: AuthSettings | undefined
  /** Whether browsers get the page that shows what agents see. @default undefined: while the server answers to this machine alone, or asks for tokens */
  readonly page: 'on' | 'off' | undefined
  /** A larger result of a tool is cut, in bytes. @default 100000 */
  readonly maxResultBytes: number
  /** Put what is referred to in the place of `$ref` in every schema, also in those that declare 2020-12. @default false */
  readonly inlineRefs: boolean
  readonly outputSchemas: 'on' | 'off'
  /** Whether a list has all tools, or the pinned ones with two that find and call the others. @default 'all' */
  readonly tools: 'all' | 'search'
  /** Ids of functions whose tools every list has, beside those that say so themselves (`mcp.pin`). @default [] */
  readonly pinnedTools: readonly string[]
  /** Hide what the bridge has of its own, on every transport: management tools, resources of the engine, canned prompts. @default false */
  readonly noBuiltins: boolean
  /** Show the management tools over HTTP too. `noBuiltins` wins. @default false */
  readonly httpBuiltins: boolean
  /** Let management tools run code and change the triggers of the engine. @default false */
  readonly allowRun: boolean
  /** HTTP and not stdio. @default false */
  readonly noStdio: boolean
  /** HTTP beside stdio. @default false */
  readonly http: boolean
}

const NamespaceName = z.string().refine((text) => text.trim() === text && /^(?:\*|[^*\p{C}]+)$/u.test(text), {
  error: 'must be * or the name of a namespace, for example orders',
})

/** Each of these can be set by a flag, by `III_MCP_` and its key, and in the file. */
const variableOptions = withEnvironment<Omit<BridgeOptions, 'auth'>>('III_MCP', {
  apiPath: ADDRESS_OPTIONS.apiPath,
  hiddenPrefixes: HIDDEN_PREFIXES_OPTION,
  // Never stored: it opens what lies in other places of the engine.
  namespaces: {
    flag: '--namespaces',
    yaml: 'namespaces',
    schema: z.array(NamespaceName),
    default: [],
    describe: "Namespaces of the engine to show functions of, beside the bridge's own; * is all of them.",
  },
  requireExpose: {
    flag: '--require-expose',
    yaml: 'require_expose',
    stored: (ours, stored) => ours || stored,
    schema: z.boolean(),
    default: false,
    describe: 'Show only functions whose metadata has mcp.expose: true.',
  },
  exposeAll: {
    flag: '--expose-all',
    yaml: 'expose_all',
    stored: (ours, stored) => ours && stored,
    schema: z.boolean(),
    default: false,
    describe: 'Ask no function for mcp.expose, also with a tier; internal namespaces stay hidden.',
  },
  tier: {
    flag: '--tier',
    yaml: 'tier',
    stored: (ours, stored) => ours ?? stored,
    schema: z.string().min(1).optional(),
    default: undefined,
    describe: 'Show only functions whose mcp.tier equals this name.',
    placeholder: 'NAME',
  },
  allowedHosts: ADDRESS_OPTIONS.allowedHosts,
  allowedOrigins: ADDRESS_OPTIONS.allowedOrigins,
  page: {
    flag: '--page',
    yaml: 'page',
    schema: z.enum(['on', 'off']).optional(),
    default: undefined,
    describe:
      'Show browsers a page with what agents see (on, off); unset, while no other host or origin is allowed, or callers need a token.',
    placeholder: 'MODE',
  },
  maxResultBytes: {
    flag: '--max-result-bytes',
    yaml: 'max_result_bytes',
    stored: 'any',
    schema: z.int().min(1_024).max(4_194_304),
    default: 100_000,
    describe: 'Largest result of a tool in bytes; what is larger is cut, with a text before it that says so.',
    placeholder: 'BYTES',
  },
  inlineRefs: {
    flag: '--inline-refs',
    yaml: 'inline_refs',
    stored: 'any',
    schema: z.boolean(),
    default: false,
    describe: 'Serve all schemas without $ref and without composition at the root, also those that declare 2020-12.',
  },
  outputSchemas: {
    flag: '--output-schemas',
    yaml: 'output_schemas',
    stored: 'any',
    schema: z.enum(['on', 'off']),
    default: 'on',
    describe: 'List what tools return (on, off). Without, lists take half the room, and hosts check no results.',
    placeholder: 'MODE',
  },
  tools: {
    flag: '--tools',
    yaml: 'tools',
    stored: 'any',
    schema: z.enum(['all', 'search']),
    default: 'all',
    describe:
      'List all tools, or pinned ones with search_tools and call_tool, which find and call the others (all, search).',
    placeholder: 'MODE',
  },
  pinnedTools: {
    flag: '--pinned-tools',
    yaml: 'pinned_tools',
    stored: 'any',
    schema: z.array(z.string().min(1)),
    default: [],
    describe: 'With --tools search: ids of functions that are listed all the same, for example orders::create.',
  },
  noBuiltins: {
    flag: '--no-builtins',
    yaml: 'no_builtins',
    stored: (ours, stored) => ours || stored,
    schema: z.boolean(),
    default: false,
    describe: 'Hide what the server has of its own: management tools, engine resources, canned prompts.',
  },
  httpBuiltins: {
    flag: '--http-builtins',
    yaml: 'http_builtins',
    schema: z.boolean(),
    default: false,
    describe: 'Show the management tools over HTTP too; --no-builtins wins.',
  },
  allowRun: {
    flag: '--allow-run',
    yaml: 'allow_run',
    schema: z.boolean(),
    default: false,
    describe: 'Let the client that started this process run workers from source and change triggers.',
  },
  ...TELEMETRY_OPTIONS,
  noStdio: {
    flag: '--no-stdio',
    yaml: 'no_stdio',
    schema: z.boolean(),
    default: false,
    describe: "Serve over HTTP, on the engine's HTTP port, and not over stdin and stdout.",
  },
  http: {
    flag: '--http',
    yaml: 'http',
    schema: z.boolean(),
    default: false,
    describe: 'Serve over HTTP as well, when an MCP client has started this process.',
  },
})

export const bridgeOptions: OptionTable<BridgeOptions> = {
  ...variableOptions,
  // In the file alone: a variable is easily passed on, and on the engine any worker can write.
  auth: {
    yaml: 'auth',
    schema: AuthBlock.optional(),
    default: undefined,
    empty: 'is empty, and would ask nobody: write its mode, required or off',
    gone: (before) =>
      before?.mode === 'required'
        ? 'is gone, and nobody would be asked any more: write auth: { mode: off } if that is meant'
        : undefined,
    describe: 'Who may ask, and what each of them sees: tokens, grants, limits.',
  },
}

/** The same, one by one. */
export const BRIDGE_SPECS = Object.entries(bridgeOptions) as [keyof BridgeOptions, OptionSpec<unknown>][]

/** Which options cannot go together; undefined when all can. */
export function findConflict({ requireExpose, exposeAll }: BridgeOptions): OptionConflict<BridgeOptions> | undefined {
  if (!requireExpose || !exposeAll) return undefined
  return {
    options: ['requireExpose', 'exposeAll'],
    reason: 'say the opposite of each other: use one of them',
  }
}

/** How clients reach this process. */
export interface Transports {
  readonly stdio: boolean
  readonly http: boolean
}

/**
 * A process that an MCP client has started serves that client and puts nothing on the engine's HTTP port, where several such processes
 * would take each other's route.
 *
 * @param isEngineStarted whether the engine has started this process, and so nobody listens to its stdout
 */
export function toTransports(
  { noStdio, http }: Pick<BridgeOptions, 'noStdio' | 'http'>,
  isEngineStarted: boolean,
): Transports {
  const stdio = !noStdio && !isEngineStarted
  return { stdio, http: http || !stdio }
}
