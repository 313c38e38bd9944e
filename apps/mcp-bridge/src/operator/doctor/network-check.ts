import { type Check, LOOPBACK, ok, skipped, warning } from '@iii/sdk/cli'
import type { BridgeContext } from './context.ts'

/** Who can call tools over HTTP? */
export const httpExposureCheck: Check<BridgeContext> = {
  name: 'http exposure',
  async run({ http, session }) {
    const address = await http()
    if (address === undefined) return skipped('needs the HTTP port of the engine')
    const { boundTo, port } = address
    const { allowedHosts, allowedOrigins } = session.settings.value
    const also = [...allowedHosts, ...allowedOrigins]
    const names = also.length === 0 ? '' : `; also allowed: ${also.join(', ')}`
    if (LOOPBACK.test(boundTo)) return ok(`the HTTP port is bound to ${boundTo}: only this machine reaches it${names}`)
    return warning(
      `the HTTP port is bound to ${boundTo}:${port}: whoever is on the network can call every tool that clients see, for there is no authentication${names}`,
      "set host: 127.0.0.1 for iii-http in the engine's configuration, or put something that authenticates in front",
    )
  },
}
