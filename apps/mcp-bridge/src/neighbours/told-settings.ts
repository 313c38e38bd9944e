import { createHash } from 'node:crypto'
import { isRecord } from '@iii/protocol'
import { toCanonicalJson } from '@iii/protocol/canonical-json'
import type { Settings, Worker } from '@iii/sdk'
import { ToldAuthBlock, toToldAuth } from '../auth/settings/auth-block.ts'
import { BRIDGE_SPECS, type BridgeOptions } from '../options.ts'

/** What a bridge tells of itself to whoever is on the bus. */
export interface ToldSettings {
  readonly settings: BridgeOptions
  /** Tells which tokens count; undefined of a bridge of an older version, which does not tell. */
  readonly tokens: string | undefined
  /** Whether clients reach it over HTTP. */
  readonly http: boolean
  /** Why it answers nothing; undefined for one that does. */
  readonly locked: string | undefined
}

/** The function by which a process tells its own; its instance is in the middle. */
const NAME = /^mcp::([^:]+)::settings$/

/** @returns the instance of the bridge that tells its settings by this function; undefined for other functions */
export function parseSettingsId(functionId: string): string | undefined {
  return NAME.exec(functionId)?.[1]
}

export interface ToldProcess {
  readonly settings: Pick<Settings<BridgeOptions>, 'value' | 'locked'>
  readonly http: boolean
  /** Why nobody is answered though the settings can be used. */
  readonly shut: () => string | undefined
}

/** Tells what this process works with. There is no secret in it. @param own prefix of this process's functions */
export function serveSettings(worker: Worker, own: string, { settings, http, shut }: ToldProcess): void {
  const tell = () => ({
    ...{ http, locked: settings.locked?.reason ?? shut() ?? null },
    ...{ settings: toKeys(settings.value), tokens: markTokens(settings.value) },
  })
  const description = 'What this bridge works with'
  worker.registerFunction(`${own}::settings`, tell, { metadata: { internal: true }, description })
}

/** @returns undefined for what nobody can read: of another version */
export function parseTold(answer: unknown): ToldSettings | undefined {
  if (!isRecord(answer) || !isRecord(answer['settings'])) return undefined
  const settings = parse(answer['settings'])
  const locked = answer['locked']
  const tokens = answer['tokens']
  return (
    settings && {
      settings,
      tokens: typeof tokens === 'string' ? tokens : undefined,
      http: answer['http'] === true,
      locked: typeof locked === 'string' ? locked : undefined,
    }
  )
}

/** What settings come to where they are compared. */
export type Compared = Pick<ToldSettings, 'settings' | 'tokens'>

export function toCompared(settings: BridgeOptions): Compared {
  return { settings, tokens: markTokens(settings) }
}

const MARK_LENGTH = 4

/** Bridges that take other tokens hardly ever have the same mark, and it has too few bits to find a token by. */
function markTokens({ auth }: Pick<BridgeOptions, 'auth'>): string {
  const known = auth?.tokens.map(({ name, hash }) => `${name} ${[...hash].sort().join(' ')}`).sort() ?? []
  return createHash('sha256').update(known.join('\n')).digest('hex').slice(0, MARK_LENGTH)
}

/** These say how and where it is reached, and not what it does. */
export const OF_REACH: ReadonlySet<keyof BridgeOptions> = new Set(['noStdio', 'http', 'apiPath'])

/** The keys, as files have them, at which two bridges work with different settings, wherever they are reached. */
export function findDifferences(one: Compared, other: Compared): string[] {
  const [ours, theirs] = [toKeys(one.settings), toKeys(other.settings)]
  const keys = BRIDGE_SPECS.flatMap(([key, { yaml = key }]) => (OF_REACH.has(key) ? [] : [yaml]))
  // What comes through the engine has its keys in another order than the file, the names of grants among them.
  const found = keys.filter((key) => toCanonicalJson(ours[key]) !== toCanonicalJson(theirs[key]))
  const areTokensTold = one.tokens !== undefined && other.tokens !== undefined && !found.includes('auth')
  return areTokensTold && one.tokens !== other.tokens ? [...found, 'auth.tokens'] : found
}

function toKeys(options: BridgeOptions): Record<string, unknown> {
  const told = { ...options, auth: options.auth && toToldAuth(options.auth) }
  return Object.fromEntries(BRIDGE_SPECS.map(([key, { yaml = key }]) => [yaml, told[key] ?? null]))
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
