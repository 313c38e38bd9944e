import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { callWithLines, NO_TEXT, toBadLines } from '../authorization-lines.ts'
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
const LINES = toBadLines({ good: GOOD, wrong: WRONG, long: LONG })

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

const send = (lines: readonly string[]) => callWithLines(stack.mcpUrl, 'e2e-bad__hello', lines)

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
