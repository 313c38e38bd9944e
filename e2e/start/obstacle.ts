import { connect } from 'node:net'
import type { Worker } from '@iii/sdk'
import { connectToEngine, listFunctions } from '../facts.ts'
import type { Command } from './arguments.ts'
import { findOwners, type ListedTrigger } from './owners.ts'
import { isTaken } from './ports.ts'

const REACH_DEADLINE_MS = 3000
const READY_DEADLINE_MS = 5000

type Embedded = Extract<Command, { kind: 'embedded' }>
type External = Extract<Command, { kind: 'external' }>

/** What stands in the way of starting, told before anything was started; undefined when nothing does. */
export async function findObstacle(command: Embedded | External): Promise<string | undefined> {
  return command.kind === 'embedded' ? await findTakenPort(command) : await findForeignOwner(command.engineUrl)
}

async function findTakenPort({ httpPort, enginePort }: Embedded): Promise<string | undefined> {
  const ports = [
    { port: httpPort, flag: '--http-port', use: 'HTTP' },
    { port: enginePort, flag: '--engine-port', use: 'the engine' },
  ]
  const taken = await Promise.all(ports.map(async (row) => ((await isTaken(row.port)) ? [row] : [])))
  if (taken.flat().length === 0) return undefined
  const lines = taken.flat().map(({ port, flag, use }) => {
    return `Port ${port} for ${use} is taken by another program. Choose another one: ${flag} ${other(port, ports)}`
  })
  return [...lines, 'Nothing was started.'].join('\n')
}

/** A port to suggest: near the wanted one, easy to type, and not the other one of the two. */
function other(port: number, ports: readonly { port: number }[]): number {
  const step = port < 65_500 ? 10 : -10
  return ports.some((row) => row.port === port + step) ? port + 2 * step : port + step
}

async function findForeignOwner(engineUrl: string): Promise<string | undefined> {
  const unreachable = await knock(engineUrl)
  if (unreachable) return `No engine at ${engineUrl}: ${unreachable}.\nNothing was started.`
  await using control = connectToEngine(engineUrl, 'start')
  try {
    await control.ready({ timeoutMs: READY_DEADLINE_MS })
  } catch {
    return `Something listens at ${engineUrl}, but it does not answer like an engine.\nNothing was started.`
  }
  const owners = findOwners(await listFunctions(control), await listHttpTriggers(control))
  if (owners.length === 0) return undefined
  return [
    `The engine at ${engineUrl} has what start would bring already:`,
    ...owners.map((owner) => `  ${owner}`),
    'Nothing was started. Stop those workers first, or leave --engine out for an engine of your own.',
  ].join('\n')
}

async function listHttpTriggers(control: Worker): Promise<ListedTrigger[]> {
  const { registered_triggers } = await control.trigger<{ registered_triggers: ListedTrigger[] }>({
    function_id: 'engine::registered-triggers::list',
    payload: { trigger_type: 'http', include_internal: true },
    timeoutMs: READY_DEADLINE_MS,
  })
  return registered_triggers
}

/** Why nothing listens there. The engine client tries again and again, which is no use to somebody who mistyped a port. */
function knock(engineUrl: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(engineUrl)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'wss:' ? 443 : 80)),
      timeout: REACH_DEADLINE_MS,
    })
    const settle = (problem: string | undefined) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => settle(undefined))
    socket.once('timeout', () => settle(`no answer within ${REACH_DEADLINE_MS / 1000} seconds`))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(explainConnect(error)))
  })
}

function explainConnect({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND') return 'there is no host of that name'
  return message || String(code)
}
