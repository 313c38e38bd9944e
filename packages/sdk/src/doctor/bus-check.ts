import { InvocationError } from '../engine/invocation-error.ts'
import { isLoopback } from '../engine/url.ts'
import { findOpenAddresses } from '../http/open-addresses.ts'
import { createLog } from '../log.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'
import { ASK_MS, type DoctorContext, type DoctorNames } from './context.ts'

/** Who can connect to the engine as a worker, and so call and replace everything? */
export const busExposureCheck: Check<DoctorContext> = {
  name: 'bus exposure',
  async run({ session, names }) {
    const url = new URL(session.said.url)
    if (!isLoopback(url.hostname)) return judgeRemote(session.said.url, names)
    const port = Number(url.port) || (url.protocol === 'wss:' ? 443 : 80)
    const open = await findOpenAddresses(session.host.addresses(), port)
    const [address] = open
    if (address !== undefined && (await isOpen(withHost(url, address), names))) {
      return problem(
        `the worker port ${port} is reached from the network (${open.join(', ')}), without access rules: whoever is there can call and replace every function`,
        "set host: 127.0.0.1 for iii-worker-manager in the engine's configuration, or rbac with an auth function",
      )
    }
    return judgePages(session.said.url, address !== undefined, names)
  },
}

async function judgeRemote(url: string, names: DoctorNames): Promise<Finding> {
  if (!(await isOpen(url, names))) return ok('the worker port of the engine has access rules')
  return warning(
    'the engine is on another machine and its worker port has no access rules: whoever reaches it can call and replace every function',
    'give iii-worker-manager an rbac entry with an auth function, or let only known machines reach the port',
  )
}

/** A browser lets any page open a WebSocket to this machine, and the engine does not look where it comes from. */
async function judgePages(url: string, isReached: boolean, names: DoctorNames): Promise<Finding> {
  const where = isReached
    ? 'the worker port has access rules on the network'
    : 'only this machine reaches the worker port'
  if (!(await isOpen(url, names))) return ok(`${where}, and web pages cannot use it`)
  return warning(
    `${where}; every program here, and any web page that is open in a browser here, can call and replace every function`,
    'give iii-worker-manager an rbac entry with an auth function where pages of strangers are opened',
  )
}

/** Connects as a page of a stranger would, without credentials, and asks for the settings of the engine, which no stranger should read. */
async function isOpen(url: string, { program }: DoctorNames): Promise<boolean> {
  const stranger = new URL(url)
  stranger.username = ''
  stranger.password = ''
  stranger.search = ''
  const worker = registerWorker(stranger.href, {
    name: `${program}-doctor`,
    naming: 'own',
    headers: { origin: 'https://example.com' },
    log: createLog({ name: program, level: 'silent' }),
  })
  try {
    await worker.ready({ timeoutMs: ASK_MS })
    await worker.trigger({ function_id: 'configuration::get', payload: { id: 'iii-http' }, timeoutMs: ASK_MS })
    return true
  } catch (error) {
    // Whoever hears that there is no such setting was let in.
    return error instanceof InvocationError && error.code === 'NOT_FOUND'
  } finally {
    await worker.shutdown()
  }
}

function withHost(url: URL, host: string): string {
  const moved = new URL(url)
  moved.hostname = host.includes(':') ? `[${host}]` : host
  return moved.href
}
