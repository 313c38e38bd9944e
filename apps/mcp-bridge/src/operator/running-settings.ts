import { isRecord } from '@iii/protocol'
import { InvocationError, type Worker } from '@iii/sdk'
import { ToldAuthBlock } from '../auth/settings/auth-block.ts'
import { BRIDGE_SPECS, type BridgeOptions } from '../options.ts'

/** What a bridge that runs works with, for `explain` and `doctor`. */
export interface RunningSettings {
  readonly settings: BridgeOptions
  /** Whether clients reach it over HTTP. */
  readonly http: boolean
  /** Why it answers nothing; undefined for one that does. */
  readonly locked: string | undefined
}

const NAME = /^mcp::[^:]+::settings$/
/** Each client that starts a server has one; a few tell enough. */
const MAX_ASKED = 16
const ASK_MS = 2_000

/** Asks the bridges of an engine. @throws InvocationError when the engine does not answer */
export async function askSettings(engine: Worker): Promise<RunningSettings[]> {
  const payload = { include_internal: true }
  const answer = await engine.trigger({ function_id: 'engine::functions::list', payload, timeoutMs: ASK_MS * 2 })
  const rows: unknown = isRecord(answer) ? answer['functions'] : undefined
  const ids = (Array.isArray(rows) ? rows : []).filter(isRecord).flatMap(({ function_id: id, namespace }) => {
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
    if (!isRecord(answer) || !isRecord(answer['settings'])) return undefined
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
  const values = BRIDGE_SPECS.map(([key, { yaml = key, schema, default: fallback }]) => {
    const parsed = (key === 'auth' ? ToldAuthBlock.optional() : schema).safeParse(told[yaml] ?? fallback)
    return parsed.success ? ([key, parsed.data] as const) : undefined
  })
  return values.includes(undefined)
    ? undefined
    : (Object.fromEntries(values.filter((value) => value !== undefined)) as unknown as BridgeOptions)
}
