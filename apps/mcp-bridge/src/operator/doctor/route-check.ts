import { DEFAULT_NAMESPACE, type JsonObject } from '@iii/protocol'
import { type FunctionOwner, findOwner, type HttpAddress } from '@iii/sdk'
import {
  ASK_MS,
  askHttp,
  type Check,
  type Finding,
  type HttpAnswer,
  ok,
  problem,
  silence,
  skipped,
  warning,
} from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { toStartCommand } from '../start-command.ts'
import { askEndpoint, readGreeting } from './ask-endpoint.ts'
import type { BridgeContext } from './context.ts'
import { findOtherNamespaces, findRivals } from './rivals.ts'

/** Does a request to the path reach a bridge, and whose is it? */
export const routeCheck: Check<BridgeContext> = {
  name: 'route',
  async run(context) {
    const { apiPath } = context.session.settings.value
    const path = parseApiPath(apiPath)
    if (path === undefined) return problem(`${apiPath} is no path`)
    const address = await context.http()
    if (address === undefined) return skipped('needs the HTTP port of the engine')
    const [owner, rivals, answer] = await Promise.all([
      findOwner(context.ask, path.functionId, context.session.said.namespace),
      findRivals(context, path),
      askEndpoint(address, path.path),
    ])
    if (answer === undefined) {
      const isPortThere = owner !== undefined && (await answersItself(address, path.path))
      return isPortThere ? silence(owner, `serves ${path.path}`) : skipped('needs an HTTP port that answers')
    }
    const namespaces = owner === undefined ? await findOtherNamespaces(context, path.functionId) : []
    const { said, version } = context.session
    const asked = {
      path: path.path,
      namespace: said.namespace ?? DEFAULT_NAMESPACE,
      version,
      start: toStartCommand(said),
    }
    return judge({ ...asked, owner, namespaces, rivals, answer })
  },
}

interface Evidence {
  readonly path: string
  /** Of the function behind the path. */
  readonly owner: FunctionOwner | undefined
  /** The one that the settings name, where the function was looked for. */
  readonly namespace: string
  /** Where it is, when it is not there. */
  readonly namespaces: readonly string[]
  /** Other functions that are bound to the same path. */
  readonly rivals: readonly string[]
  readonly answer: HttpAnswer
  readonly version: string
  /** The command that starts a bridge there. */
  readonly start: string
}

function judge(evidence: Evidence): Finding {
  const { path, owner, answer, start } = evidence
  const greeting = readGreeting(answer)
  if (greeting.kind === 'serves') return judgeServed(evidence, greeting.server)
  if (greeting.kind === 'asks') return judgeAsking(evidence)
  if (greeting.kind === 'refuses') {
    return problem(
      `the bridge at ${path} answers nothing: ${greeting.text}`,
      'mend its configuration; it goes on without a restart',
    )
  }
  if (answer.status === 404 || answer.status === 405)
    return owner === undefined ? judgeAbsent(path, start) : judgeLost(evidence)
  return judgeTaken(evidence)
}

function judgeServed(evidence: Evidence, server: JsonObject): Finding {
  const { path, owner, version } = evidence
  const theirs = String(server['version'])
  if (owner === undefined) return judgeForeign(evidence)
  if (theirs !== version) {
    return warning(
      `${owner.text} serves ${path} with version ${theirs}; this is ${version}`,
      `restart it with version ${version} if both should be the same`,
    )
  }
  return ok(`${owner.text} serves ${path}`)
}

/** A bridge that tells strangers nothing of itself. */
function judgeAsking(evidence: Evidence): Finding {
  const { path, owner } = evidence
  return owner === undefined ? judgeForeign(evidence) : ok(`${owner.text} serves ${path}, and asks callers for a token`)
}

function judgeForeign({ path, namespace, namespaces }: Evidence): Finding {
  if (namespaces.length > 0) {
    return problem(
      `the bridge that answers at ${path} is in the namespace ${namespaces.map((one) => `'${one}'`).join(' or ')}, and none in '${namespace}' has a function for it: the paths of the HTTP port are for all namespaces`,
      `give the bridge in '${namespace}' a path of its own (--api-path), and name it here too; or ask for the other one with --namespace`,
    )
  }
  return problem(
    `a bridge answers at ${path}, and its function is not on this engine: the HTTP port is probably that of another engine`,
    OTHER_PORT,
    'or name the engine of that bridge with --url',
  )
}

function judgeAbsent(path: string, start: string): Finding {
  return warning(
    `no bridge serves ${path}`,
    `for MCP over HTTP, start one: ${start}; over stdio, clients start it by themselves`,
  )
}

const OTHER_PORT =
  "look into the log of the engine for 'already in use': another program may have its HTTP port; give iii-http a free one"

function judgeLost({ path, owner, rivals }: Evidence): Finding {
  return problem(
    `${owner?.text} has the function, and nothing is routed at ${path}${toNamed(rivals)}`,
    'try again in some seconds: a bridge registers a lost route again; restart it if that does not help',
    "look into the log of the engine for 'panicked at': a path of another worker may have broken its HTTP router; stop that worker, or restart the engine",
    OTHER_PORT,
  )
}

function judgeTaken({ path, owner, rivals, answer }: Evidence): Finding {
  const ours = owner === undefined ? '' : `, and not ${owner.text}`
  const what = `answers at ${path} (HTTP ${answer.status})${ours}`
  // No worker of this engine has the path.
  if (rivals.length === 0) return problem(`something that is no bridge ${what}`, OTHER_PORT)
  return problem(
    `the function ${rivals.join(' or ')} ${what}: the last to register a route has it`,
    'give one of the two another path (--api-path, api_path), and restart the bridge',
  )
}

function toNamed(rivals: readonly string[]): string {
  return rivals.length === 0 ? '' : `; also bound to it: ${rivals.join(', ')}`
}

/** Whether the engine answers what it needs no worker for. */
function answersItself(address: HttpAddress, path: string): Promise<boolean> {
  return askHttp(address, { method: 'OPTIONS', path, timeoutMs: ASK_MS }).then(
    () => true,
    () => false,
  )
}
