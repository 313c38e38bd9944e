import { InvocationError, type OptionSpec, type Settings, type Worker } from '@iii/sdk'
import { type BridgeOptions, bridgeOptions } from '../options.ts'
import { isObject } from './rpc.ts'

/** What a bridge that runs works with, for `explain` and `doctor`. */
export interface RunningSettings {
  readonly settings: BridgeOptions
  /** Whether clients reach it over HTTP. */
  readonly http: boolean
  /** Why it answers nothing; undefined for one that does. */
  readonly locked: string | undefined
}

const NAME = /^mcp::[^:]+::settings$/
const SPECS = Object.entries(bridgeOptions) as [keyof BridgeOptions, OptionSpec<unknown>][]
/** Each client that starts a server has one; a few tell enough. */
const MAX_ASKED = 16
const ASK_MS = 2_000

/** Tells what this process works with, to whoever is on the bus. There is no secret in it. @param own prefix of this process's functions */
export function serveSettings(worker: Worker, own: string, settings: Settings<BridgeOptions>, http: boolean): void {
  const tell = () => ({ http, locked: settings.locked?.reason ?? null, settings: toKeys(settings.value) })
  const description = 'What this bridge works with'
  worker.registerFunction(`${own}::settings`, tell, { metadata: { internal: true }, description })
}

function toKeys(options: BridgeOptions): Record<string, unknown> {
  return Object.fromEntries(SPECS.map(([key, { yaml = key }]) => [yaml, options[key] ?? null]))
}

/** Asks the bridges of an engine. @throws InvocationError when the engine does not answer */
export async function askSettings(engine: Worker): Promise<RunningSettings[]> {
  const payload = { include_internal: true }
  const answer = await engine.trigger({ function_id: 'engine::functions::list', payload, timeoutMs: ASK_MS * 2 })
  const rows: unknown = isObject(answer) ? answer['functions'] : undefined
  const ids = (Array.isArray(rows) ? rows : []).filter(isObject).flatMap(({ function_id: id, namespace }) => {
    const isNear = namespace === undefined || namespace === (engine.namespace ?? 'default')
    return typeof id === 'string' && isNear && NAME.test(id) ? [id] : []
  })
  const told = await Promise.all(ids.slice(0, MAX_ASKED).map((id) => ask(engine, id)))
  return told.filter((one) => one !== undefined)
}

/** @returns undefined for one that is gone, or that says what nobody can read: one of another version */
async function ask(engine: Worker, id: string): Promise<RunningSettings | undefined> {
  try {
    const answer = await engine.trigger({ function_id: id, payload: {}, timeoutMs: ASK_MS })
    if (!isObject(answer) || !isObject(answer['settings'])) return undefined
    const settings = parse(answer['settings'])
    return settings && { settings, http: answer['http'] === true, locked: toText(answer['locked']) }
  } catch (error) {
    if (error instanceof InvocationError) return undefined
    throw error
  }
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parse(told: Readonly<Record<string, unknown>>): BridgeOptions | undefined {
  const values = SPECS.map(([key, { yaml = key, schema, default: fallback }]) => {
    const parsed = schema.safeParse(told[yaml] ?? fallback)
    return parsed.success ? ([key, parsed.data] as const) : undefined
  })
  return values.includes(undefined)
    ? undefined
    : (Object.fromEntries(values.filter((value) => value !== undefined)) as unknown as BridgeOptions)
}
