import { messageOf } from '@iii/sdk'
import { ASK_MS, askHttp, type Check, formatHttpAddress, ok, problem, warning } from '@iii/sdk/cli'
import type { BridgeContext } from './context.ts'

/** Has the engine an HTTP port, and does it answer? */
export const httpCheck: Check<BridgeContext> = {
  name: 'http',
  async run({ http, session }) {
    const address = await http()
    if (address === undefined) {
      return warning(
        'the engine has no HTTP port, or does not say where: its settings have no entry iii-http, or the access rules of this port hide it',
        'for MCP over HTTP, add the worker iii-http to the configuration of the engine; stdio does not need it',
      )
    }
    const where = formatHttpAddress(address)
    try {
      // The engine answers this by itself, whatever is routed there.
      await askHttp(address, { method: 'OPTIONS', path: session.settings.value.apiPath, timeoutMs: ASK_MS })
      return ok(`the engine answers at ${where}`)
    } catch (error) {
      const why = messageOf(error)
      return problem(
        `nothing answers at ${where} (${why})`,
        'look into the log of the engine: another program may have the port, which it logs and goes on',
        'where the port is reached by another address, e.g. through a proxy, this can be ignored',
      )
    }
  },
}
