import { findOpenAddresses, type HttpAddress } from '@iii/sdk'
import { type Check, type Finding, LOOPBACK, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { isUndecided, UNDECIDED } from '../../auth/decision.ts'
import type { ServedPath } from '../../neighbours/asking.ts'
import { formatOpenness, type Openness, toOpenness } from '../../neighbours/openness.ts'
import type { BridgeOptions } from '../../options.ts'
import { findSettingsOf } from '../explain/settings.ts'
import { askEndpoint, readGreeting } from './ask-endpoint.ts'
import type { BridgeContext } from './context.ts'

/** Who can call tools over HTTP? What runs is judged by what it answers; where nothing does, by the settings. */
export const httpExposureCheck: Check<BridgeContext> = {
  name: 'http exposure',
  async run({ http, session }) {
    const address = await http()
    const served = (await session.findBridges())?.served ?? []
    const running = served.flatMap(({ bridge }) => (bridge === undefined ? [] : [bridge.settings]))
    const settings = served.length > 0 ? running : [(await findSettingsOf(session)).settings]
    if (settings.some(isUndecided)) return problem(UNDECIDED, ASK_OR_SAY)
    if (address === undefined) return skipped('needs the HTTP port of the engine')
    const ways =
      served.length > 0
        ? await Promise.all(served.map((one) => toWay(one, address)))
        : settings.map((one) => ({ path: undefined, openness: toOpenness(one) }))
    const { boundTo, port } = address
    const isLocal = LOOPBACK.test(boundTo)
    const open = isLocal ? [] : await findOpenAddresses(session.host.addresses(), port)
    return judge({ where: `${boundTo}:${port}`, isLocal, open, ways, allowed: toAllowed(settings) })
  },
}

const ASK_OR_SAY =
  'make a token with iii-mcp token create NAME, and put the block that it prints into the configuration file; or write auth: { mode: off } where a proxy in front asks'

/** A path by which callers come. */
interface Way {
  /** Undefined where no bridge runs. */
  readonly path: string | undefined
  readonly openness: Openness
}

interface Exposure {
  readonly where: string
  /** Is the port bound to this machine alone? */
  readonly isLocal: boolean
  /** The addresses of this machine on networks at which the port answers. */
  readonly open: readonly string[]
  readonly ways: readonly Way[]
  /** Host names and origins. */
  readonly allowed: readonly string[]
}

/** What answers decides, and its settings say no more than how it is meant. */
async function toWay({ path, bridge }: ServedPath, address: HttpAddress): Promise<Way> {
  const answer = await askEndpoint(address, path)
  const { kind } = answer === undefined ? { kind: 'foreign' } : readGreeting(answer)
  const told = bridge === undefined ? 'untold' : toOpenness(bridge.settings)
  if (kind === 'asks' || kind === 'refuses') return { path, openness: 'nobody' }
  return { path, openness: kind === 'serves' && told === 'nobody' ? 'untold' : told }
}

function toAllowed(settings: readonly BridgeOptions[]): string[] {
  return [...new Set(settings.flatMap(({ allowedHosts, allowedOrigins }) => [...allowedHosts, ...allowedOrigins]))]
}

function judge({ where, isLocal, open, ways, allowed }: Exposure): Finding {
  const names = allowed.length === 0 ? '' : `; also allowed: ${allowed.join(', ')}`
  const at = (openness: Openness) => ways.filter((way) => way.openness === openness)
  const bound = `the HTTP port is bound to ${where}`
  const [untold, told, granted] = [at('untold'), at('told'), at('granted')]
  if (untold.length + told.length === 0) {
    const what = granted.length === 0 ? 'callers need a token' : `it ${formatOpenness('granted')}`
    return ok(`${bound}, and ${what}${toPlace(granted, ways)}${names}`)
  }
  if (isLocal) return ok(`${bound}: only this machine reaches it${names}`)
  const reached = open.length === 0 ? '' : ` (here at ${open.join(', ')})`
  const place = toPlace(untold.length > 0 ? untold : told, ways)
  const text = `${bound}: whoever is on the network${reached} can call every tool that clients see${place}, and nobody is asked who they are${names}`
  const advice = "set host: 127.0.0.1 for iii-http in the engine's configuration"
  if (untold.length === 0) return warning(`auth is off, and ${text}`, `see that a proxy in front asks, or ${advice}`)
  return open.length > 0 ? problem(text, advice, ASK_OR_SAY) : warning(text, advice, ASK_OR_SAY)
}

/** Which of several paths are meant. */
function toPlace(meant: readonly Way[], all: readonly Way[]): string {
  return meant.length === 0 || all.length < 2 ? '' : ` at ${meant.map(({ path }) => path).join(', ')}`
}
