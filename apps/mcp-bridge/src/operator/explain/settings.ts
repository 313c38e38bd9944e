import { CommandFailure } from '@iii/sdk/cli'
import type { BridgeOptions } from '../../options.ts'
import { BRIDGE_FLAGS } from '../flags.ts'
import { askSettings, type RunningSettings } from '../running-settings.ts'
import type { BridgeSession } from '../session.ts'

/** The settings by which something is judged, and whose they are. */
export interface JudgedBy {
  readonly settings: BridgeOptions
  /** That of the bridge; undefined for `default`. */
  readonly namespace: string | undefined
  /** `running`: a bridge of this engine told them. `given`: by flags, environment or file. */
  readonly from: 'running' | 'given' | 'defaults'
  /** For people. */
  readonly remark: string
}

/** What is given counts; else what the running bridge says. Where none does, that is said too. */
export async function findSettingsOf(session: BridgeSession): Promise<JudgedBy> {
  const { said, settings } = session
  const { namespace } = said
  if (BRIDGE_FLAGS.some((key) => said.own.has(key)) || settings.file !== undefined) {
    return {
      settings: settings.value,
      namespace,
      from: 'given',
      remark: 'by the settings given here, and not those of a running bridge',
    }
  }
  const running = await ask(session)
  if (running === 'unreachable') {
    const remark = 'no engine answers, so no bridge could be asked for its settings: by the defaults'
    return { settings: settings.value, namespace, from: 'defaults', remark }
  }
  const served = running.filter(({ http }) => http)
  const [first, ...others] = served.length > 0 ? served : running
  if (first === undefined) {
    const remark =
      'no bridge on this engine tells its settings: by the defaults; give the flags or the file that it is started with'
    return { settings: settings.value, namespace, from: 'defaults', remark }
  }
  const isSame = others.every((other) => JSON.stringify(other.settings) === JSON.stringify(first.settings))
  const over = first.http ? 'over HTTP' : 'over stdio'
  const several = isSame ? '' : `; ${others.length} more run with other settings`
  const locked =
    first.locked === undefined ? '' : `; its configuration locks it, so it answers nothing: ${first.locked}`
  return {
    settings: first.settings,
    namespace,
    from: 'running',
    remark: `by the settings of the bridge that runs ${over}${several}${locked}`,
  }
}

async function ask({ connect }: BridgeSession): Promise<readonly RunningSettings[] | 'unreachable'> {
  try {
    return await askSettings(await connect())
  } catch (error) {
    if (error instanceof CommandFailure) return 'unreachable'
    throw error
  }
}
