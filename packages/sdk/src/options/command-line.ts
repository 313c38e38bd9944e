import { z } from 'zod'
import { messageOf } from '../engine/message-of.ts'
import { toNamespace } from '../engine/namespace.ts'
import { toEngineUrl } from '../engine/url.ts'
import { parseArguments } from './arguments.ts'
import { explainStrays, toOwnFileVariable, variablesOf } from './environment.ts'
import { combineOptions, explainConflict, type Given, type OptionRules } from './given.ts'
import type { AnyOptionTable, OptionSpec } from './option-table.ts'
import { readOptionText } from './option-text.ts'

/** What every worker can be told, beside its own options. */
export const COMMON_OPTIONS = {
  url: {
    flag: ['--url', '--engine-url'],
    env: ['III_URL', 'III_ENGINE_URL'],
    schema: z.string(),
    default: 'ws://127.0.0.1:49134',
    describe: 'Address of the engine.',
    placeholder: 'URL',
  },
  config: {
    flag: '--config',
    env: 'III_CONFIG',
    schema: z.string().optional(),
    default: undefined,
    describe:
      'YAML file with settings; none is read unless it is named. III_NAME_CONFIG, with the name of the worker, counts before III_CONFIG.',
    placeholder: 'FILE',
  },
  workerName: {
    env: 'III_WORKER_NAME',
    schema: z.string().optional(),
    default: undefined,
    describe: 'The name under which the engine lists this worker.',
  },
  exactName: {
    flag: '--exact-name',
    env: 'III_EXACT_NAME',
    schema: z.boolean(),
    default: false,
    describe:
      'Wait where another live worker has the name, instead of going by one of its own, for whoever waits for exactly this name.',
  },
  namespace: {
    flag: '--namespace',
    env: 'III_NAMESPACE',
    schema: z.string().optional(),
    default: undefined,
    describe:
      'Where its name and functions live, and its calls go, on an engine that has namespaces. Without it, default.',
    placeholder: 'NAME',
  },
  reattachFile: {
    flag: '--reattach-file',
    env: 'III_REATTACH_FILE',
    schema: z.string().min(1).optional(),
    default: undefined,
    describe:
      'File to remember the connection in, so that after a crash the next process ends what the engine still takes for alive. Each process needs its own.',
    placeholder: 'FILE',
  },
  configName: {
    env: 'III_CONFIG_NAME',
    schema: z.string().optional(),
    default: undefined,
    describe:
      'The name of the settings that the engine stores for this worker, when it started it. Without it, that of the worker.',
  },
  debug: { flag: '--debug', env: 'III_DEBUG', schema: z.boolean(), default: false, describe: 'Log everything.' },
  manifest: { flag: '--manifest', schema: z.boolean(), default: false, describe: 'Print the manifest as JSON.' },
  version: { flag: '--version', schema: z.boolean(), default: false, describe: 'Print the version.' },
  help: { flag: ['--help', '-h'], schema: z.boolean(), default: false, describe: 'Print this text.' },
} as const satisfies AnyOptionTable

/** A command line and an environment, read. */
export interface CommandLine {
  /** Address, already checked. */
  url: string
  config: string | undefined
  workerName: string | undefined
  /** Whether no other name will do. */
  exactName: boolean
  /** Undefined for `default`. */
  namespace: string | undefined
  reattachFile: string | undefined
  configName: string | undefined
  debug: boolean
  print: 'help' | 'version' | 'manifest' | undefined
  /** A flag that was typed and that only a worker takes. */
  workerFlag: string | undefined
  /** The app's own options, by name, as far as flags or environment set them. */
  own: ReadonlyMap<string, Given>
  /** Variables of the environment that were probably meant for an option, each with the nearest that is read. */
  strays: readonly string[]
}

/** Whose command line it is, and what else it may have. */
export interface CommandLineForm {
  /** Name of the worker: a variable with it, `III_MCP_CONFIG`, names the file of this worker alone and counts before `III_CONFIG`. */
  worker?: string
  /** Gets the words that belong to no flag. @default they are refused */
  operands?: string[]
}

/**
 * Reads flags and environment.
 *
 * @returns a problem in words for a flag that does not exist and for a value that does not fit.
 */
export function readCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  table: AnyOptionTable,
  { worker, operands }: CommandLineForm = {},
): CommandLine | { problem: string } {
  // Of two flags that are as near to a mistyped one, the first is suggested; of two with one name, the first counts.
  const all: AnyOptionTable = { ...table, ...prefixed(toCommonOptions(worker)) }
  const said = parseArguments(argv, all, operands)
  if (said.problem !== undefined) return said
  const values = new Map<string, Given>()
  for (const [key, spec] of Object.entries(all)) {
    const given = readOption(spec, said.texts.get(key), env)
    if (given === undefined) continue
    if ('problem' in given) return given
    values.set(key, given)
  }
  return toCommandLine(values, explainStrays(worker ?? '', table, env))
}

function toCommonOptions(worker: string | undefined): AnyOptionTable {
  if (worker === undefined) return COMMON_OPTIONS
  const { config } = COMMON_OPTIONS
  return { ...COMMON_OPTIONS, config: { ...config, env: [toOwnFileVariable(worker), config.env] } }
}

function readOption(
  spec: OptionSpec<unknown>,
  said: { flag: string; values: string[] } | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Given | { problem: string } | undefined {
  const name = said?.flag ?? variablesOf(spec, env).find((variable) => (env[variable] ?? '') !== '')
  if (name === undefined) return undefined
  const reading = readOptionText(spec, said?.values ?? [env[name] ?? ''], name)
  if (reading.problem !== undefined) return { problem: reading.problem }
  return { value: reading.value, from: said === undefined ? 'environment' : 'flag', name }
}

/** The names of the common options must not meet those of an app. */
const PREFIX = '\0'

function prefixed(table: AnyOptionTable): AnyOptionTable {
  return Object.fromEntries(Object.entries(table).map(([key, spec]) => [`${PREFIX}${key}`, spec]))
}

function toCommandLine(
  values: ReadonlyMap<string, Given>,
  strays: readonly string[],
): CommandLine | { problem: string } {
  const common = <Key extends keyof typeof COMMON_OPTIONS>(key: Key) => {
    const { schema, default: fallback } = COMMON_OPTIONS[key]
    return schema.parse(values.get(`${PREFIX}${key}`)?.value ?? fallback) as z.output<
      (typeof COMMON_OPTIONS)[Key]['schema']
    >
  }
  const prints = (['help', 'version', 'manifest'] as const).filter((key) => common(key))
  try {
    return {
      url: toEngineUrl(common('url')),
      config: common('config'),
      workerName: common('workerName'),
      exactName: common('exactName'),
      namespace: readNamespace(values.get(`${PREFIX}namespace`)),
      reattachFile: common('reattachFile'),
      configName: common('configName'),
      debug: common('debug'),
      print: prints[0],
      workerFlag: WORKER_FLAGS.map((key) => values.get(`${PREFIX}${key}`)).find((given) => given?.from === 'flag')
        ?.name,
      own: new Map([...values].filter(([key]) => !key.startsWith(PREFIX))),
      strays,
    }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** What commands beside a worker have no use for. */
const WORKER_FLAGS = ['manifest', 'exactName', 'reattachFile'] as const satisfies (keyof typeof COMMON_OPTIONS)[]

/** A blank variable is one that is not set; a blank flag is a mistake. @throws Fault */
function readNamespace(given: Given | undefined): string | undefined {
  const isUnset = given?.from === 'environment' && String(given.value).trim() === ''
  return isUnset ? undefined : toNamespace(given?.value)
}

/** A conflict that no file can settle: what flags and environment say stays. Undefined when there is none. */
export function findUsageProblem<T>(rules: OptionRules<T>, { own, config, print }: CommandLine): string | undefined {
  const { conflict } = combineOptions(rules, own)
  if (conflict === undefined || print !== undefined) return undefined
  const isFinal = config === undefined || conflict.options.every((name) => own.has(name))
  return isFinal ? explainConflict(conflict, rules, own) : undefined
}
