import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { hasFunctions, requestOnce } from '../facts.ts'
import { type EntryFields, fixtureServer } from '../mcp-servers/fixture.ts'
import { mcpClientProgram } from '../programs.ts'
import { createTempFolder } from '../stack.ts'
import { toOldTransport } from '../transports.ts'
import { until } from '../until.ts'
import { type Arena, openArena } from './arena.ts'
import { createHttpCaller } from './http-caller.ts'
import { type BenchFigures, type BenchSubject, measure, readResidentMb } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { formatFigures, layOut } from './table.ts'

/** What a call of a tool may take beyond a direct call of its server and a call of a function through the bridge, at p50. */
const MORE_MS = 0.3
/** The part of the calls a second of the slower of the two that it reaches, sixteen at a time. */
const LEAST_PART = 0.7
const IDLE_MB = 90
const MANY = 32

const DIRECT = 'official client, directly'
const FUNCTION = 'function, through the bridge'
const TOOL = 'tool, through the bridge'

export interface McpClientFigures {
  readonly alone: readonly BenchFigures[]
  readonly together: readonly BenchFigures[]
  readonly idleMb: number
  /** From the start of the worker until the functions are there of one server, of 32, and of 32 beside one that hangs. */
  readonly startMs: readonly number[]
}

/** A call of an MCP server's tool through bridge and `mcp-client`, beside the two calls that it consists of. */
export async function measureMcpClient(): Promise<McpClientFigures> {
  await using arena = await openArena({ workers: ['bridge'] })
  await using folder = await createTempFolder()
  const calm = fixtureServer(folder.path, 'honest')
  const { alone, together, idleMb } = await measureCalls(arena, folder.path, calm)
  const many = Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`s${at}`, calm]))
  const hanging = fixtureServer(folder.path, 'silent', {}, { timeouts: { start_ms: 60_000 } })
  const startMs: number[] = []
  for (const servers of [{ s0: calm }, many, { hanging, ...many }]) {
    startMs.push(await measureStart(arena, folder.path, servers))
  }
  return { alone, together, idleMb, startMs }
}

async function startServers(arena: Arena, folder: string, servers: Readonly<Record<string, EntryFields>>) {
  const config = join(folder, 'servers.yaml')
  await writeFile(config, JSON.stringify({ servers }))
  const child = arena.start(mcpClientProgram(arena.stack.engineUrl, ['--config', config]))
  const ids = Object.keys(servers).flatMap((name) => (name === 'hanging' ? [] : [`${name}::echo`]))
  await until(() => hasFunctions(arena.stack.worker, ids), { what: 'the tools', deadlineMs: 60_000 })
  return child
}

async function measureCalls(arena: Arena, folder: string, calm: EntryFields) {
  const { mcpUrl } = arena.stack
  const child = await startServers(arena, folder, { calm })
  const idleMb = readResidentMb(child.pid)
  const floorPid = await arena.startWorker('floor-worker.ts', 'floor::echo')
  const client = new Client({ name: 'bench', version: '0' })
  const { command, args } = calm as { command: string; args: string[] }
  await client.connect(toOldTransport({ command, args }))
  arena.use({ [Symbol.asyncDispose]: () => client.close() })

  const { text } = PAYLOAD
  const call = (name: string, input: object) =>
    createHttpCaller(mcpUrl, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } })
  const isThere = async () => JSON.stringify(await requestOnce(mcpUrl, 'tools/list')).includes('"calm__echo"')
  await until(isThere, { what: 'the bridge to know the tool' })
  const subjects: BenchSubject[] = [
    { name: DIRECT, run: () => client.callTool({ name: 'echo', arguments: { text } }) },
    { name: FUNCTION, pid: floorPid, run: call('floor__echo', { content: [{ type: 'text', text }] }) },
    { name: TOOL, pid: child.pid, run: call('calm__echo', { text }) },
  ]
  // In this order what is measured alone has run often enough to be compiled, in every process alike.
  const together = await measure(subjects, 16)
  const alone = await measure(subjects, 1)
  await child.stop()
  return { alone, together, idleMb }
}

async function measureStart(arena: Arena, folder: string, servers: Readonly<Record<string, EntryFields>>) {
  const began = performance.now()
  const child = await startServers(arena, folder, servers)
  const ms = performance.now() - began
  await child.stop(5000)
  return ms
}

export function formatMcpClient({ alone, together, idleMb, startMs }: McpClientFigures): string {
  const medianOf = (name: string) => alone.find((row) => row.name === name)?.medianMs ?? Number.NaN
  const more = medianOf(TOOL) - medianOf(DIRECT) - medianOf(FUNCTION)
  const rateOf = (name: string) => together.find((row) => row.name === name)?.perSecond ?? Number.NaN
  const part = rateOf(TOOL) / Math.min(rateOf(DIRECT), rateOf(FUNCTION))
  const title = 'mcp-client: a tool of an MCP server, beside what its call consists of'
  const rows = [
    ['', 'measured', 'wanted'],
    ['p50 beyond the sum of both, ms', more.toFixed(2), `at most ${MORE_MS}`],
    ['part of the slower one, sixteen at a time', part.toFixed(2), `at least ${LEAST_PART}`],
    ['memory of the worker with one server, MB', idleMb.toFixed(0), `at most ${IDLE_MB}`],
    ['start with one server, ms', (startMs[0] ?? 0).toFixed(0), ''],
    [`start with ${MANY} servers, ms`, (startMs[1] ?? 0).toFixed(0), ''],
    [`the same beside one that hangs, ms`, (startMs[2] ?? 0).toFixed(0), 'as before'],
  ]
  return `${formatFigures(title, alone)}${formatFigures(title, together)}${layOut('mcp-client: what was wanted', rows)}`
}
