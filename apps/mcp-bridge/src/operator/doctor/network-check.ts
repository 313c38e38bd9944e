import { findOpenAddresses } from '@iii/sdk'
import { type Check, type Finding, LOOPBACK, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { isUndecided, UNDECIDED } from '../../auth/decision.ts'
import type { BridgeOptions } from '../../options.ts'
import { findSettingsOf } from '../explain/settings.ts'
import type { BridgeContext } from './context.ts'

/** Who can call tools over HTTP? */
export const httpExposureCheck: Check<BridgeContext> = {
  name: 'http exposure',
  async run({ http, session }) {
    const { settings } = await findSettingsOf(session)
    if (isUndecided(settings)) return problem(UNDECIDED, ASK_OR_SAY)
    const address = await http()
    if (address === undefined) return skipped('needs the HTTP port of the engine')
    const { boundTo, port } = address
    const isLocal = LOOPBACK.test(boundTo)
    const open = isLocal ? [] : await findOpenAddresses(session.host.addresses(), port)
    return judge({ where: `${boundTo}:${port}`, isLocal, open, settings })
  },
}

const ASK_OR_SAY =
  'make a token with iii-mcp token create NAME, and put the block that it prints into the configuration file; or write auth: { mode: off } where a proxy in front asks'

interface Exposure {
  readonly where: string
  /** Is the port bound to this machine alone? */
  readonly isLocal: boolean
  /** The addresses of this machine on networks at which the port answers. */
  readonly open: readonly string[]
  readonly settings: BridgeOptions
}

function judge({ where, isLocal, open, settings }: Exposure): Finding {
  const { auth, allowedHosts, allowedOrigins } = settings
  const also = [...allowedHosts, ...allowedOrigins]
  const names = also.length === 0 ? '' : `; also allowed: ${also.join(', ')}`
  if (auth?.mode === 'required') return ok(`the HTTP port is bound to ${where}, and callers need a token${names}`)
  if (isLocal) return ok(`the HTTP port is bound to ${where}: only this machine reaches it${names}`)
  const reached = open.length === 0 ? '' : ` (here at ${open.join(', ')})`
  const text = `the HTTP port is bound to ${where}: whoever is on the network${reached} can call every tool that clients see, and nobody is asked who they are${names}`
  const advice = "set host: 127.0.0.1 for iii-http in the engine's configuration"
  if (auth?.mode === 'off') return warning(`auth is off, and ${text}`, `see that a proxy in front asks, or ${advice}`)
  return open.length > 0 ? problem(text, advice, ASK_OR_SAY) : warning(text, advice, ASK_OR_SAY)
}
