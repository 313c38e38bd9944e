import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MCP_ON_CALL, readMcpSidecar } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer } from '../authorization/authorization-server.ts'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startCollector, type TestCollector } from '../collector.ts'
import { sendHttp } from '../http-request.ts'
import { toIssuerRow, toTokenPart } from '../issuer-tokens.ts'
import { type KeptByEngine, keepsSpans, readKept } from '../kept.ts'
import { bridgeProgram, stdioBridge, WORKER_READY } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { toStateless } from '../stateless.ts'
import { startStdio } from '../stdio-process.ts'
import { runTokenCreate } from '../token-command.ts'
import { inventToken, toTokenHash } from '../tokens.ts'
import { until } from '../until.ts'

/** Whatever callers show as a token, and wherever they put it, is found nowhere afterwards. */
const DEBUG = ['--debug']
/** Of the file of the bridge, what the engine stores. */
const PINNED = 'traceless::pinned'
const cleanup = createCleanup()
/** Whatever was shown as a token. */
const shown = new Set<string>()
const told: unknown[] = []
const answers: string[] = []
let stack: Stack
let server: AuthorizationServer
let collector: TestCollector
let bridge: Child
let good: string
let file: string

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  server = cleanup.use(await startAuthorizationServer())
  collector = cleanup.use(await startCollector())
  stack = cleanup.use(await startStack({ workers: ['skills', 'runs'], skillsFlags: DEBUG, runsFlags: DEBUG }))
  const { worker } = stack
  worker.registerFunction('traceless::work', (_, metadata) => readMcpSidecar(metadata)?.principal)
  worker.registerFunction('traceless::on-call', (event) => void told.push(event), { metadata: { internal: true } })
  good = (await runTokenCreate('ci')).token
  file = join(path, 'traceless.yaml')
  await writeFile(file, JSON.stringify({ auth: toBlock(good), pinned_tools: [PINNED] }))
  const program = bridgeProgram(stack.engineUrl, ['--config', file, ...DEBUG])
  const stored = { III_ISOLATION: 'libkrun', III_WORKER_NAME: 'mcp', III_CONFIG_NAME: `e2e-traceless-${randomUUID()}` }
  const env = { ...stored, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' }
  bridge = cleanup.use(startChild({ ...program, env }))
  await bridge.line(WORKER_READY)
  worker.registerTrigger({ type: MCP_ON_CALL, function_id: 'traceless::on-call', config: {} })
  await worker.ready()
})
afterAll(() => cleanup.run())

function toBlock(token: string) {
  const hash = [toTokenHash(token)]
  return {
    resource: stack.mcpUrl,
    tokens: [{ name: 'ci', hash, grant: 'all' }],
    issuers: [toIssuerRow(server, stack.mcpUrl, { require: ['mcp'], forward_claims: ['groups'] })],
    grants: { all: {} },
  }
}

const TOOL = { name: 'traceless__work', arguments: {} }

interface Sent {
  readonly method?: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly params?: object
}

async function send({ method = 'tools/call', query = '', headers, params = {} }: Sent) {
  const all = { 'content-type': 'application/json', accept: 'application/json', ...headers }
  const named = { ...params, ...(method === 'tools/call' && TOOL) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: named })
  const reply = await sendHttp(stack.mcpUrl + query, { method: 'POST', headers: all, body })
  answers.push(reply.body, JSON.stringify(reply.headers))
  return reply
}

/** Calls with a token in each revision. @returns the status of each call */
async function callWith(token: string): Promise<readonly number[]> {
  shown.add(token)
  const bearer = { authorization: `Bearer ${token}` }
  const init = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const opened = await send({ method: 'initialize', headers: bearer, params: init })
  const id = opened.headers['mcp-session-id']
  const inSession = await send({ headers: { ...bearer, ...(typeof id === 'string' && { 'mcp-session-id': id }) } })
  const stateless = toStateless('tools/call', TOOL)
  const modern = await send({ headers: { ...bearer, ...stateless.headers }, params: stateless.params })
  return [inSession.status, modern.status]
}

/** Calls with a token in the environment of the process that a client starts. @returns all that the process has said */
async function callOverStdio(token: string): Promise<string> {
  shown.add(token)
  const program = stdioBridge(stack.engineUrl, ['--config', file, ...DEBUG])
  await using process = startStdio(program, { III_MCP_TOKEN: token })
  const call = () => process.request('tools/call', TOOL)
  const reply = await until(
    async () => {
      const { result, error } = await call()
      return (result ?? error?.message.startsWith('Unauthorized')) ? JSON.stringify(result ?? error) : false
    },
    { what: 'the process to answer' },
  )
  return reply + process.stderr()
}

/** Puts a token where it does not belong. */
async function misplace(token: string): Promise<readonly number[]> {
  shown.add(token)
  const places: Sent[] = [
    { query: `?access_token=${token}`, headers: {} },
    { headers: { authorization: `Token ${token}` } },
    { headers: { authorization: `Bearer ${token} ${token}` } },
    { headers: { authorization: token } },
    { headers: { 'x-api-key': token, 'mcp-session-id': token } },
  ]
  return (await Promise.all(places.map(send))).map(({ status }) => status)
}

/** Waits until the engine has as many spans of requests. */
async function untilSpansAre(count: number): Promise<void> {
  const countSpans = async () => (await readKept(stack)).spans.split('"name":"POST /mcp"').length - 1
  await until(async () => (await countSpans()) >= count, { what: `the engine to have the spans of ${count} requests` })
}

/** Reads all that the engine keeps, once there is in each place what this test has left there. */
async function readWhatIsKept(): Promise<KeptByEngine> {
  const { worker } = stack
  const message = `traceless ${randomUUID()}`
  await worker.trigger({ function_id: 'engine::log::error', payload: { message } })
  const left: Partial<Record<keyof KeptByEngine, string>> = {
    // The records of the worker of runs.
    state: '"traceless::work"',
    logs: message,
    settings: PINNED,
    ...(stack.readEngineOutput() !== undefined && { output: message }),
  }
  for (const [place, text] of Object.entries(left) as [keyof KeptByEngine, string][])
    await until(async () => (await readKept(stack))[place]?.includes(text) ?? false, {
      what: `${place} to have: ${text}`,
    })
  if (await keepsSpans(worker)) await untilSpansAre(answers.length / 2)
  return await readKept(stack)
}

/** What would give a token away: all of it, and for one of an issuer each of its parts but the header, which is no secret. */
function toSecrets(token: string): readonly string[] {
  const [, ...parts] = token.split('.')
  return [token, ...parts].filter((part) => part !== '')
}

/** Tokens that are like one of an issuer, and none. */
function toBroken(jwt: string): readonly string[] {
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const others = toTokenPart({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), jti: randomUUID() })
  return [
    `${header}.${others}.${signature}`,
    `${toTokenPart({ alg: 'none' })}.${others}.`,
    `${header}.${claims}`,
    `${header}.${inventToken()}.${inventToken()}`,
    inventToken().repeat(40),
  ]
}

scenario(
  ['access/traceless'],
  'no token is in what is kept or told, whatever it is and wherever its caller put it',
  async () => {
    const jwt = await server.getMachineToken(stack.mcpUrl, 'mcp')
    const narrow = await server.getMachineToken(stack.mcpUrl, 'orders:read')
    const foreign = await server.getMachineToken('https://other.example.com/mcp', 'mcp')
    const forged = `${jwt.slice(0, -8)}AAAAAAAA`
    const [unknown, id] = [(await runTokenCreate('ci')).token, await server.getIdToken()]
    for (const token of [good, jwt]) expect(await callWith(token)).toEqual([200, 200])
    expect(await callWith(narrow)).toEqual([403, 403])
    const bad = [unknown, foreign, forged, id, ...toBroken(jwt)]
    for (const token of bad) expect(await callWith(token)).toEqual([401, 401])
    for (const token of [good, jwt, narrow, ...bad]) expect(await misplace(token)).toEqual([400, 401, 401, 401, 401])
    // Over stdio a token of an issuer is none either.
    const attached = await Promise.all([good, unknown, jwt, forged].map(callOverStdio))
    expect(attached.map((said) => said.includes('"id":"token:ci"'))).toEqual([true, false, false, false])

    const events = () => JSON.stringify(told)
    const traces = () => collector.posts.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n')
    // What is looked through has to be there by then.
    for (const word of ['token:ci', ':machine"', '"kind":"auth"'])
      await until(async () => events().includes(word), { what: `${word} to be told` })
    await until(async () => traces().includes('tools/call traceless__work'), { what: 'the spans to be sent' })
    const kept = await readWhatIsKept()
    const children = [bridge, ...stack.children.values()].map(({ name, stdout, stderr }) => [
      name,
      [...stdout, ...stderr].join('\n'),
    ])
    const said: Readonly<Record<string, string>> = Object.fromEntries(children)
    expect(said['mcp']).toContain('"audit":true')
    const heard = { events: events(), traces: traces(), attached: attached.join(), answers: answers.join() }
    for (const [place, text = ''] of Object.entries({ ...said, ...heard })) expect(text, place).not.toBe('')
    expect(heard.answers).toContain('platform')
    for (const [place, text = ''] of Object.entries({ ...kept, ...said, ...heard }))
      for (const secret of [...shown].flatMap(toSecrets))
        expect(text.split(secret), `a token in: ${place}`).toHaveLength(1)
  },
)
