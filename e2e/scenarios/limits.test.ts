import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { scenario } from '../scenario.ts'
import { askAs, createTokenCaller, type TokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

const BURST = 3
const grant = 'all'
/** Fills up at one a second, so that a second is all there is to wait for. */
const hasty = createTokenCaller({ name: 'hasty', grant, limits: { per_minute: 60, burst: BURST } })
const other = createTokenCaller({ name: 'other', grant, limits: { per_minute: 60, burst: BURST } })
const busy = createTokenCaller({ name: 'busy', grant, limits: { concurrent: 2 } })
const idle = createTokenCaller({ name: 'idle', grant, limits: { concurrent: 2 } })

const cleanup = createCleanup()
let called = 0
/** The calls that wait, each by what lets it go. */
let held: (() => void)[] = []

const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-limits::work', () => ({ called: ++called }))
  worker.registerFunction('e2e-limits::hold', () => new Promise((resolve) => held.push(() => resolve({ let: 'go' }))))
})

beforeAll(async () => {
  const tokens = [hasty, other, busy, idle].map(({ row }) => row)
  const auth = { tokens, grants: { all: {} } }
  cleanup.use(await startConfiguredBridge(shared.stack.engineUrl, join(shared.folder, 'mcp.yaml'), { auth }))
  await until(async () => (await call(idle, 'work')).body.includes('called'), { what: 'the tool to be called' })
})
afterAll(() => cleanup.run())

const call = ({ token }: TokenCaller, name: string, headers: Record<string, string> = {}) =>
  askAs(token, shared.stack.mcpUrl, 'tools/call', { name: `e2e-limits__${name}`, arguments: {} }, headers)

const ask = (who: TokenCaller, length: number) => Promise.all(Array.from({ length }, () => call(who, 'work')))

scenario(
  ['access/limits'],
  'a burst is let in and what follows is not, another caller is let in meanwhile, and later the first one is again',
  async () => {
    const before = called
    const startedAt = performance.now()
    const [replies, others] = await Promise.all([ask(hasty, 20), ask(other, BURST)])
    const refilled = Math.ceil((performance.now() - startedAt) / 1_000)
    const letIn = replies.filter(({ status }) => status === 200)
    expect(letIn.length).toBeGreaterThanOrEqual(BURST)
    expect(letIn.length).toBeLessThanOrEqual(BURST + refilled)
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    expect(called - before).toBe(letIn.length + others.length)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([429, '1', undefined])
      expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32003, data: { retry_after_seconds: 1 } } })
    }
    // What is told to be waited for is enough, and waited for here once.
    await pause(1_000)
    expect((await call(hasty, 'work')).status).toBe(200)
  },
)

scenario(
  ['access/limits'],
  'one call too many at once is refused, in a session and without one, while another caller makes the same',
  async () => {
    const opened = await askAs(busy.token, shared.stack.mcpUrl, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
    })
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const first = [call(busy, 'hold'), call(busy, 'hold', session)]
    await until(() => held.length === 2, { what: 'both calls to be under way' })
    const before = called
    for (const headers of [{}, session]) {
      const { status, headers: told, body } = await call(busy, 'work', headers)
      const text = expect.stringContaining('this caller has 2 under way, which is its limit')
      expect([status, told['retry-after'], JSON.parse(body)]).toEqual([
        429,
        expect.stringMatching(/^\d+$/),
        expect.objectContaining({ error: expect.objectContaining({ code: -32003, message: text }) }),
      ])
    }
    expect(called).toBe(before)
    const second = call(idle, 'hold')
    await until(() => held.length === 3, { what: 'the call of the other to be under way' })
    expect((await call(idle, 'work')).status).toBe(200)
    for (const letGo of held) letGo()
    held = []
    expect((await Promise.all([...first, second])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await call(busy, 'work')).status).toBe(200)
  },
)
