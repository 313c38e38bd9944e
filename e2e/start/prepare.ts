import { askEngineVersion, explainUnsupported, SUPPORTED_ENGINES, toPublicUrl, type Worker } from '@iii/sdk'
import { connectToEngine, listFunctions, listTriggerTypes } from '../facts.ts'
import type { StartCommand } from './arguments.ts'
import { findMissingNeeds } from './engine-needs.ts'
import { disproveHttpUrl } from './http-proof.ts'
import { askHttpUrl } from './http-url.ts'
import { findOwners, type ListedTrigger } from './owners.ts'
import { findClosedPorts } from './ports.ts'
import { knock } from './reach.ts'
import { findServersFile } from './servers-file.ts'

const READY_DEADLINE_MS = 5000

type Embedded = Extract<StartCommand, { kind: 'embedded' }>
type External = Extract<StartCommand, { kind: 'external' }>

/** An engine that is there already, with the proven address of its HTTP side. */
type Reached = External & { httpUrl: string }

/** What `start` is going to run. */
export type StartPlan = (Embedded | Reached) & {
  /** That of `--mcp-servers`, or of the sample. */
  serversFile: string
}

/** Looks whether everything can be started, before anything is. A string says what stands in the way. */
export async function prepareStart(command: Embedded | External): Promise<StartPlan | string> {
  const servers = await findServersFile(command.mcpServers)
  if ('problem' in servers) return `${servers.problem}\nNothing was started.`
  const plan = command.kind === 'embedded' ? await findPorts(command) : await examineEngine(command)
  return typeof plan === 'string' ? `${plan}\nNothing was started.` : { ...plan, serversFile: servers.file }
}

async function findPorts(command: Embedded): Promise<Embedded | string> {
  const closed = await findClosedPorts([
    { port: command.httpPort, flag: '--http-port', use: 'HTTP' },
    { port: command.enginePort, flag: '--engine-port', use: 'the engine' },
  ])
  return closed.length === 0 ? command : closed.join('\n')
}

async function examineEngine(command: External): Promise<Reached | string> {
  const { engineUrl } = command
  const shown = toPublicUrl(engineUrl)
  const unreachable = await knock(engineUrl)
  if (unreachable) return `No engine at ${shown}: ${unreachable}.`
  await using control = connectToEngine(engineUrl, 'start')
  try {
    await control.ready({ timeoutMs: READY_DEADLINE_MS })
  } catch {
    return `Something listens at ${shown}, but it does not answer like an engine.`
  }
  return (await findTrouble(control, shown)) ?? (await findHttp(control, command, shown))
}

async function findTrouble(control: Worker, shown: string): Promise<string | undefined> {
  const version = await askEngineVersion(control)
  const unsupported = version === undefined ? undefined : explainUnsupported(version)
  if (unsupported) return `Engine ${version} at ${shown} ${unsupported}: use ${SUPPORTED_ENGINES}.`
  const functions = await listFunctions(control)
  const missing = findMissingNeeds(functions, [...(await listTriggerTypes(control))])
  if (missing) return `The engine at ${shown} ${missing.join('\n')}`
  const routes = await list<ListedTrigger>(control, 'engine::registered-triggers::list', 'registered_triggers')
  const owners = findOwners(functions, routes)
  if (owners.length === 0) return undefined
  return [
    `The engine at ${shown} has what start would bring already:`,
    ...owners.map((owner) => `  ${owner}`),
    'Stop those workers first, or leave --engine out for an engine of your own.',
  ].join('\n')
}

async function list<Row>(control: Worker, functionId: string, key: string): Promise<Row[]> {
  const answer = await control.trigger<Record<string, Row[]>>({
    function_id: functionId,
    payload: { include_internal: true },
    timeoutMs: READY_DEADLINE_MS,
  })
  return answer[key] ?? []
}

async function findHttp(control: Worker, command: External, shown: string): Promise<Reached | string> {
  const { engineUrl, httpUrl: given } = command
  const httpUrl = given ?? (await askHttpUrl(control, engineUrl))
  const advice = 'Say where that engine answers HTTP: --http-url http://HOST:PORT'
  if (httpUrl === undefined) return `The engine at ${shown} does not tell its HTTP port. ${advice}`
  const wrong = await disproveHttpUrl(control, httpUrl)
  if (wrong === undefined) return { ...command, httpUrl }
  const source = given === undefined ? ', although its configuration says so' : ''
  return `${toPublicUrl(httpUrl)} does not lead to the engine at ${shown}${source}: ${wrong}.\n${advice}`
}
