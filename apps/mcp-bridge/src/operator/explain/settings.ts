import { parseApiPath } from '../../mcp/api-path.ts'
import { type Bridge, type Bridges, formatPlace } from '../../neighbours/asking.ts'
import { findDifferences, OF_REACH } from '../../neighbours/told-settings.ts'
import type { BridgeOptions } from '../../options.ts'
import { BRIDGE_FLAGS } from '../flags.ts'
import type { BridgeSession } from '../session.ts'

/** The settings by which something is judged, and whose they are. */
export interface JudgedBy {
  readonly settings: BridgeOptions
  /** That of the bridge; undefined for `default`. */
  readonly namespace: string | undefined
  /** `running`: a bridge of this engine told them. `given`: by flags, environment or file. */
  readonly from: 'running' | 'given' | 'defaults'
  /** Those that run with other settings. */
  readonly others: readonly Other[]
  /** For people. */
  readonly remark: string
}

/** A bridge that runs with other settings than those that something is judged by. */
export interface Other {
  readonly bridge: Bridge
  /** The keys, as files have them, that are different. */
  readonly differs: readonly string[]
}

/** Whether the command was told what to judge by. */
export function isGiven({ said, settings }: Pick<BridgeSession, 'said' | 'settings'>): boolean {
  return settings.file !== undefined || BRIDGE_FLAGS.some((key) => !OF_REACH.has(key) && said.own.has(key))
}

/** What is given counts; else what the bridge says that answers over HTTP. Where none does, that is said too. */
export async function findSettingsOf(session: BridgeSession): Promise<JudgedBy> {
  const { said, settings } = session
  const judge = (from: JudgedBy['from'], remark: string): JudgedBy => ({
    settings: settings.value,
    ...{ namespace: said.namespace, from, others: [], remark },
  })
  if (isGiven(session)) return judge('given', 'by the settings given here, and not those of a running bridge')
  const bridges = await session.findBridges()
  if (bridges === undefined)
    return judge('defaults', 'no engine answers, so no bridge could be asked for its settings: by the defaults')
  const path = parseApiPath(settings.value.apiPath)?.path ?? ''
  const found = choose(bridges, path, said.own.has('apiPath'))
  if (found === 'silent') return judge('defaults', `the bridge at ${path} does not tell its settings: ${BY_DEFAULTS}`)
  const where = said.own.has('apiPath') ? `at ${path}` : 'on this engine'
  if (found === undefined) return judge('defaults', `no bridge ${where} tells its settings: ${BY_DEFAULTS}`)
  const others = findOthers(bridges, found)
  const namespace = said.namespace
  return { settings: found.settings, namespace, from: 'running', others, remark: toRemark(found, others) }
}

const BY_DEFAULTS = 'by the defaults; give the flags or the file that it is started with'

/** Whoever has the path counts; where nobody has it, whoever is reached in another way. */
function choose({ all, served }: Bridges, path: string, isNamed: boolean): Bridge | 'silent' | undefined {
  const here = served.find((one) => one.path === path)
  if (here !== undefined) return here.bridge ?? 'silent'
  if (isNamed) return all.find((bridge) => bridge.path === path)
  return all.find(({ serves }) => serves) ?? all.find(({ http }) => http) ?? all[0]
}

/** The bridges beside one that work with other settings. */
export function findOthers({ all }: Bridges, one: Pick<Bridge, 'instance' | 'settings' | 'tokens'>): Other[] {
  return all.flatMap((bridge) => {
    const differs = bridge.instance === one.instance ? [] : findDifferences(one, bridge)
    return differs.length === 0 ? [] : [{ bridge, differs }]
  })
}

function toRemark({ http, locked }: Bridge, others: readonly Other[]): string {
  const over = http ? 'over HTTP' : 'over stdio'
  const named = others.map(({ bridge, differs }) => `${formatPlace(bridge)} (${differs.join(', ')})`)
  const several = named.length === 0 ? '' : `; with other settings run ${named.join('; ')}`
  const why = locked === undefined ? '' : `; its configuration locks it, so it answers nothing: ${locked}`
  return `by the settings of the bridge that runs ${over}${several}${why}`
}
