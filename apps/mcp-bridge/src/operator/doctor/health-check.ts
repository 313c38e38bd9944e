import { findOwner } from '@iii/sdk'
import { ASK_MS, askHttp, type Check, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { parseApiPath, toHealthPath } from '../../mcp/api-path.ts'
import type { BridgeContext } from './context.ts'

const STATES = ['ready', 'degraded', 'away']

/** What are probes told? */
export const healthCheck: Check<BridgeContext> = {
  name: 'health',
  async run({ ask, http, session: { settings, said } }) {
    const endpoint = parseApiPath(settings.value.apiPath)
    const address = await http()
    if (endpoint === undefined || address === undefined) return skipped('needs the HTTP port of the engine')
    const { path, functionId } = toHealthPath(endpoint)
    const [owner, answer] = await Promise.all([
      findOwner(ask, functionId, said.namespace),
      askHttp(address, { method: 'GET', path, timeoutMs: ASK_MS }).catch(() => undefined),
    ])
    if (owner === undefined) return skipped('needs a bridge over HTTP that answers probes')
    const { status, reasons } = answer?.json ?? {}
    if (!STATES.includes(String(status)) || !Array.isArray(reasons)) {
      return warning(
        `probes at ${path} are not answered by ${owner.text}`,
        'look at the check route: what keeps requests from the endpoint keeps probes from it',
      )
    }
    const told = [`probes at ${path} are told that it is ${status}`, ...reasons.map(String)]
      .join(': ')
      .replace(/\.$/, '')
    return status === 'away'
      ? problem(told, 'what the log of the bridge says; probes count as failed until then')
      : ok(told)
  },
}
