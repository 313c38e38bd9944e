import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { inventToken, toTokenHash } from '../tokens.ts'
import { until } from '../until.ts'

const GOOD = inventToken()
const WRONG = inventToken()
const LONG = WRONG.repeat(200).slice(0, 8_192)
/** Bytes that are no UTF-8, each of them one character here. */
const NO_TEXT = '\u00ff\u00fe\u0080'

/** The values of the header, one line for each. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'a token that is not ours': [`Bearer ${WRONG}`],
  'nothing at all': [''],
  'no token': ['Bearer'],
  'blanks for a token': ['Bearer    '],
  'a token alone': [GOOD],
  'another scheme': [`Basic ${Buffer.from(`${GOOD}:`).toString('base64')}`],
  'more behind the token': [`Bearer ${GOOD} x`],
  'two tokens in one': [`Bearer ${GOOD}, Bearer ${GOOD}`],
  'two headers with the same wrong token': [`Bearer ${WRONG}`, `Bearer ${WRONG}`],
  'two headers, the last of them wrong': [`Bearer ${GOOD}`, `Bearer ${WRONG}`],
  'two headers, the last of them empty': [`Bearer ${GOOD}`, ''],
  'eight KiB of a token': [`Bearer ${LONG}`],
  'bytes that are no text for a token': [`Bearer ${NO_TEXT}`],
  'bytes that are no text behind the token': [`Bearer ${GOOD}${NO_TEXT}`],
  'bytes that are no text for a scheme': [`${NO_TEXT} ${GOOD}`],
}

const cleanup = createCleanup()
let stack: Stack
let bridge: Child
let called = 0

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startStack({ workers: [] }))
  stack.worker.registerFunction('e2e-bad::hello', () => {
    called += 1
    return { hello: 'you' }
  })
  await stack.worker.ready()
  const hash = [toTokenHash(GOOD)]
  const file = join(path, 'mcp.yaml')
  await writeFile(file, JSON.stringify({ auth: { tokens: [{ name: 'ci', hash, grant: 'all' }], grants: { all: {} } } }))
  bridge = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--config', file, '--debug'])))
  await bridge.line(/"msg":"ready"/)
  await until(async () => (await send([`Bearer ${GOOD}`])).body.includes('"hello'), { what: 'the tool to be called' })
})
afterAll(() => cleanup.run())

/** Sends the header byte by byte as it is given, which no client of HTTP would. */
async function send(lines: readonly string[]): Promise<{ head: readonly string[]; body: string }> {
  const { hostname, port, host, pathname } = new URL(stack.mcpUrl)
  const params = { name: 'e2e-bad__hello', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...lines.map((line) => `authorization: ${line}`),
  ]
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const [heads = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
  return { head: heads.split('\r\n').filter((line) => !/^date:/i.test(line)), body: rest.join('\r\n\r\n') }
}

scenario(
  ['access/credentials'],
  'whatever is wrong with the header Authorization, its sender reads the same, and nothing of it is told again',
  async () => {
    const before = called
    const expected = await send(LINES['a token that is not ours'] ?? [])
    expect(expected.head[0]).toContain(' 401 ')
    expect(expected.head.join('\n')).toContain('Bearer realm="mcp", error="invalid_token"')
    expect(expected.body).toContain('Unauthorized: the token is not valid')
    for (const [what, lines] of Object.entries(LINES)) {
      expect({ what, ...(await send(lines)) }).toEqual({ what, ...expected })
    }
    expect(called).toBe(before)
    const logged = bridge.stderr.join('\n')
    for (const secret of [GOOD, WRONG, LONG.slice(-32), NO_TEXT]) expect(logged).not.toContain(secret)
    expect((await send([`Bearer ${GOOD}`])).body).toContain('"hello')
    // An engine hands on the last of several: whoever stands in front has to set the header, and never to add one.
    expect((await send([`Bearer ${WRONG}`, `Bearer ${GOOD}`])).body).toContain('"hello')
    expect(bridge.stderr.join('\n')).not.toContain(WRONG)
  },
)
