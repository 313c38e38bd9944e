import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { callWithLines, NO_TEXT, toBadLines } from '../authorization-lines.ts'
import type { Child } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { scenario } from '../scenario.ts'
import { createTokenCaller } from '../token-callers.ts'
import { inventToken } from '../tokens.ts'
import { until } from '../until.ts'

const ci = createTokenCaller({ name: 'ci', grant: 'all' })
const GOOD = ci.token
const WRONG = inventToken()
const LONG = WRONG.repeat(200).slice(0, 8_192)
const LINES = toBadLines({ good: GOOD, wrong: WRONG, long: LONG })

const cleanup = createCleanup()
let bridge: Child
let called = 0
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-bad::hello', () => {
    called += 1
    return { hello: 'you' }
  })
})

beforeAll(async () => {
  const settings = { auth: { tokens: [ci.row], grants: { all: {} } } }
  const file = join(shared.folder, 'mcp.yaml')
  bridge = cleanup.use(await startConfiguredBridge(shared.stack.engineUrl, file, settings, ['--debug']))
  await until(async () => (await send([`Bearer ${GOOD}`])).body.includes('"hello'), { what: 'the tool to be called' })
})
afterAll(() => cleanup.run())

const send = (lines: readonly string[]) => callWithLines(shared.stack.mcpUrl, 'e2e-bad__hello', lines)

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
