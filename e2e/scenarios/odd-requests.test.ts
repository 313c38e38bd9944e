import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** `ops` sees everything, `staff` not what is called `vault`; nothing is called `nulla`. */
const OPS = createTokenCaller({ name: 'ops', grant: 'ops' })
const STAFF = createTokenCaller({ name: 'staff', grant: 'staff' })
const cleanup = createCleanup()
let stack: Stack
let called = 0

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  const open = () => {
    called += 1
    return { opened: true }
  }
  const resource = { uri: 'db://vault', name: 'vault' }
  stack.worker.registerFunction('vault::open', open, { metadata: { mcp: { tier: 'ops', resource } } })
  await stack.worker.ready()
  const skill = { id: 'vault', skill: '# vault\n\nAbout vault' }
  await stack.worker.trigger({ function_id: 'skills::register', payload: skill, timeoutMs: 5_000 })
  const auth = { tokens: [OPS.row, STAFF.row], grants: { ops: {}, staff: { tiers: ['user'], skills: [] } } }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth }))
  await until(async () => (await askAs(OPS.token, stack.mcpUrl, 'tools/list')).body.includes('vault__open'), {
    what: 'the tool',
  })
})
afterAll(() => cleanup.run())

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'vault__open', arguments: {} },
})
const KNOWN = `authorization: Bearer ${OPS.token}`

interface Written {
  readonly line?: string
  readonly heads?: readonly string[]
  readonly length?: number | string
  readonly body?: string
}

/** Sends a request as it is written, which no client of HTTP would. @returns the statuses of all that is answered */
async function write({ line, heads = [], length = CALL.length, body = CALL }: Written): Promise<readonly string[]> {
  const { hostname, port, host, pathname } = new URL(stack.mcpUrl)
  const head = [
    (line ?? 'POST PATH HTTP/1.1').replace('PATH', pathname).replace('HOST', host),
    `host: ${host}`,
    'content-type: application/json',
    'connection: close',
    `content-length: ${length}`,
    ...heads,
  ]
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  const chunks: Buffer[] = []
  const read = async () => {
    for await (const chunk of socket) chunks.push(chunk as Buffer)
  }
  await read().catch(() => undefined)
  return [
    ...Buffer.concat(chunks)
      .toString('latin1')
      .matchAll(/HTTP\/1\.[01] (\d{3})/g),
  ].map(([, status = '']) => status)
}

/** None of them shows a token where one has to be, whatever else they say. */
const WITHOUT_TOKEN: Readonly<Record<string, Written>> = {
  'what a proxy says of whom it has let in': {
    heads: ['x-forwarded-user: ops', 'x-forwarded-for: 127.0.0.1', 'forwarded: for=127.0.0.1', 'x-real-ip: 127.0.0.1'],
  },
  'the token for a proxy': { heads: [`proxy-${KNOWN}`] },
  'the token in a cookie': { heads: [`cookie: ${KNOWN}; token=${OPS.token}`] },
  'the token in the line after': { heads: ['x-a: b', ` ${KNOWN}`] },
  'the token in the line after its scheme': { heads: ['authorization: Bearer', ` ${OPS.token}`] },
  'a blank before the colon': { heads: [KNOWN.replace(':', ' :')] },
  'a tab behind the scheme': { heads: [KNOWN.replace('Bearer ', 'Bearer\t')] },
  'the token in quotes': { heads: [`authorization: Bearer "${OPS.token}"`] },
  'another method in a header': { heads: ['x-http-method-override: GET', 'x-http-method: OPTIONS'] },
  'a whole address for a path': { line: 'POST http://HOSTPATH HTTP/1.1' },
  'a path with a slash more': { line: 'POST /PATH HTTP/1.1' },
  'a path with a slash at its end': { line: 'POST PATH/ HTTP/1.1' },
  'a path with a letter in numbers': { line: 'POST /%6dcp HTTP/1.1' },
  'a path through another one': { line: 'POST /x/..PATH HTTP/1.1' },
  'the HTTP of before': { line: 'POST PATH HTTP/1.0' },
  'another method': { line: 'PUT PATH HTTP/1.1' },
  'the method in small letters': { line: 'post PATH HTTP/1.1' },
  'the token in the address, one letter in numbers': { line: `POST PATH?%74oken=${OPS.token} HTTP/1.1` },
  'a session in place of a token': { heads: ['mcp-session-id: x'] },
  'two lengths': { heads: ['content-length: 2'] },
  'a length below none': { length: -1 },
  'a length that ends before the body': { length: 2 },
  'an upgrade': { line: 'GET PATH HTTP/1.1', heads: ['connection: upgrade', 'upgrade: h2c'] },
}

scenario(['access/forms'], 'no form that a request is written in takes the place of a token', async () => {
  const before = called
  for (const [what, written] of Object.entries(WITHOUT_TOKEN)) {
    expect([what, (await write(written)).join(' ')]).toEqual([what, expect.stringMatching(/^4\d\d(?: 4\d\d)*$/)])
  }
  expect(called).toBe(before)
  expect(await write({ heads: [KNOWN] })).toEqual(['200'])
  expect(called).toBe(before + 1)
})

/** Ways to write the name of a function. */
const NAMES: readonly ((name: string) => string)[] = [
  (name) => `${name}__open`,
  (name) => `${name}::open`,
  (name) => ` ${name}__open `,
  (name) => `${name}__open\u0000`,
  (name) => `${name}_\u200b_open`,
  (name) => `${name}%3A%3Aopen`,
  (name) => `${name}__OPEN`,
  (name) => `${name}__opeǹ`,
  (name) => `@default__${name}__open`,
  (name) => `@default/${name}::open`,
  (name) => `default\n${name}::open`,
  (name) => `iii://fn/${name}/open`,
]

/** Ways to write an address of it, or of its skill. */
const ADDRESSES: readonly ((name: string) => string)[] = [
  (name) => `iii://fn/${name}/open/`,
  (name) => `iii://fn/${name}/open?x`,
  (name) => `iii://fn/../fn/${name}/open`,
  (name) => `iii://fn/@default/${name}/open`,
  (name) => `iii://functions/${name}%3A%3Aopen`,
  (name) => `iii://functions/@default/${name}::open`,
  (name) => `III://${name}`,
  (name) => `iii://${name}\u0000`,
  (name) => `iii://skills/../${name}`,
  (name) => `DB://${name}`,
  (name) => `db://${name}?`,
  (name) => `db://x@${name}`,
  (name) => `skill://${name}%2FSKILL.md`,
  (name) => `skill://x/%2e%2e/${name}/SKILL.md`,
]

scenario(['access/forms'], 'a hidden name is as unknown in every spelling', async () => {
  const before = called
  const compare = async (method: string, toParams: (name: string) => object) => {
    const ask = (name: string) => askAs(STAFF.token, stack.mcpUrl, method, toParams(name))
    const [hidden, nothing] = [await ask('vault'), await ask('nulla')]
    const told = hidden.body.replaceAll('vault', 'nulla')
    expect({ method, ...toParams('nulla'), status: hidden.status, told }).toEqual({
      ...{ method, ...toParams('nulla') },
      ...{ status: nothing.status, told: nothing.body },
    })
  }
  for (const toName of NAMES) {
    await compare('tools/call', (name) => ({ name: toName(name), arguments: {} }))
    await compare('prompts/get', (name) => ({ name: toName(name) }))
  }
  for (const toUri of ADDRESSES) {
    await compare('resources/read', (name) => ({ uri: toUri(name) }))
    await compare('tools/call', (name) => ({ name: 'skill__fetch', arguments: { uri: toUri(name) } }))
  }
  expect(called).toBe(before)
})
