import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { bridgeProgram, skillsProgram, stdioBridge } from '../programs.ts'
import { type Stack, startStack } from '../stack.ts'
import { startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'
import { countSockets, countWorkers, type GaugeSample, readResidentMiB } from './gauges.ts'

/** An MCP client, with the tools that it saw when everything was there. */
export interface CrowdClient {
  readonly name: string
  readonly tools: readonly string[]
  listTools(): Promise<readonly string[]>
}

/** All that a person may have on one engine at a time: bridges over HTTP and stdio with their clients, two registries, and commands. */
export interface Crowd extends AsyncDisposable {
  readonly stack: Stack
  readonly clients: readonly CrowdClient[]
  /** Runs the commands of an operator, one after the other. @returns what went wrong */
  runCommands(): Promise<string[]>
  sample(): Promise<GaugeSample>
  /** The log of each process. */
  logs(): ReadonlyMap<string, readonly string[]>
}

const STDIO_CLIENTS = 3
/** A tool of the sample worker: with it a list is complete. */
const LAST_TOOL = 'orders__report'
const COMMANDS = ['explain', 'doctor']
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'soak', version: '0' },
}

interface Member {
  readonly pid: number
  readonly lines: () => readonly string[]
}

/** Starts everybody; resolves when each client has all tools. */
export async function startCrowd(): Promise<Crowd> {
  const { use, run } = createCleanup()
  try {
    const stack = use(await startStack())
    const { engineUrl, worker } = stack
    const members = new Map<string, Member>()
    const second = use(startChild({ ...skillsProgram(engineUrl), name: 'skills, second' }))
    for (const [name, { pid, stderr }] of [...stack.children, [second.name, second] as const]) {
      members.set(name, { pid, lines: () => stderr })
    }
    await second.line(/ready/)
    const http = use(await stack.connect('client 2.x'))
    const listTools = async () => (await http.listTools()).map(({ name }) => name)
    const clients = [await toClient('http', listTools)]
    for (let count = 1; count <= STDIO_CLIENTS; count++) {
      const name = `stdio ${count}`
      const bridge = use(startStdio(stdioBridge(engineUrl)))
      members.set(name, { pid: bridge.pid, lines: () => bridge.stderr().split('\n').slice(0, -1) })
      await bridge.request('initialize', HELLO)
      clients.push(await toClient(name, async () => toNames((await bridge.request('tools/list')).result)))
    }
    return {
      stack,
      clients,
      async runCommands() {
        const problems: string[] = []
        for (const command of COMMANDS) {
          const program = bridgeProgram(engineUrl)
          // As in a shell that is set up for the worker.
          const env = { III_URL: engineUrl, III_WORKER_NAME: 'mcp' }
          const { code, stdout, stderr } = await runToEnd({ ...program, args: [command], env })
          if (code !== 0) problems.push(`iii-mcp ${command} ended with ${code}: ${stderr || stdout}`)
        }
        return problems
      },
      sample: async () => ({
        workers: await countWorkers(worker),
        sockets: countSockets(Number(new URL(engineUrl).port)),
        processes: [...members].map(([name, { pid, lines }]) => ({
          ...{ name, residentMiB: readResidentMiB(pid), lines: lines().length },
        })),
      }),
      logs: () => new Map([...members].map(([name, { lines }]) => [name, lines()])),
      [Symbol.asyncDispose]: run,
    }
  } catch (error) {
    await run()
    throw error
  }
}

async function toClient(name: string, listTools: () => Promise<readonly string[]>): Promise<CrowdClient> {
  const findTools = async () => {
    const tools = await listTools()
    return tools.includes(LAST_TOOL) && tools
  }
  return { name, tools: await until(findTools, { what: `the ${name} client to see ${LAST_TOOL}` }), listTools }
}

function toNames(result: Readonly<Record<string, unknown>> | undefined): string[] {
  const tools = (result?.['tools'] ?? []) as { name: string }[]
  return tools.map(({ name }) => name)
}
