import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, findOwner, type Logger } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import type { BridgeOptions } from '../options.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'

const WITHIN = { timeout: 10_000, interval: 10 }
const SOON = {
  lookEveryMs: 50,
  fullLookEveryMs: 500,
  afterArrivalMs: 20,
  betweenLooksMs: 20,
  claimMs: 20,
  deferMs: 100,
}
const asking: Partial<BridgeOptions> = { auth: AuthBlock.parse({ mode: 'required' }) }

function createLines() {
  const lines: { level: string; text: string }[] = []
  const note = (level: string) => (first: object | string, text?: string) =>
    void lines.push({ level, text: typeof first === 'string' ? first : (text ?? '') })
  const log: Logger = {
    ...createLog({ name: 'mcp', level: 'silent' }),
    ...{ info: note('info'), warn: note('warn'), error: note('error') },
  }
  return {
    log,
    find: (level: string, pattern: RegExp) => lines.filter((one) => one.level === level && pattern.test(one.text)),
  }
}

/** A bridge as `runWorker` starts it. */
async function open(engine: MockEngine, options: Partial<BridgeOptions>) {
  const lines = createLines()
  const worker = { watchOwnership: SOON, defers: options.auth === undefined }
  const bridge = await startBridge(engine, { options, worker, log: lines.log })
  return { bridge, lines, [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose]() }
}

const status = async ({ post }: TestBridge) => (await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status
const SHUT = /^nobody is answered over HTTP, .*worker 'mcp.* asks callers for a token; start all with the same file/

describe.each(['0.22', '0.23'] as const)('on an engine like %s', (engineLine) => {
  const start = () => startMockEngine({ engine: engineLine, functionsPollMs: 50 })

  it('a bridge that says nothing of who may ask takes nothing from one that asks, and answers nobody in its place', async () => {
    await using engine = await start()
    const guard = await open(engine, asking)
    await using late = await open(engine, {})
    expect(late.lines.find('error', SHUT)).toHaveLength(1)
    expect(await status(late.bridge)).toBe(401)
    await guard.bridge[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await status(late.bridge)).toBe(503), WITHIN)
    const { text } = await late.bridge.rpc('tools/list')
    expect(text).toContain('another bridge of this engine asks callers for a token at this path')
    await expect(
      late.bridge.other.trigger({ function_id: 'mcp::handler', payload: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    ).resolves.toMatchObject({ error: { message: expect.stringContaining('locked by its configuration') } })
    await using _ = await open(engine, asking)
    await vi.waitFor(async () => expect(await status(late.bridge)).toBe(401), WITHIN)
  })

  it('a bridge that was there first and says nothing gives its path to one that asks', async () => {
    await using engine = await start()
    await using first = await open(engine, {})
    expect(await status(first.bridge)).toBe(200)
    await using guard = await open(engine, asking)
    await vi.waitFor(() => expect(first.lines.find('error', SHUT)).toHaveLength(1), WITHIN)
    const ask = (function_id: string, payload: object) => guard.bridge.worker.trigger({ function_id, payload })
    const owner = async () => (await findOwner(ask, 'mcp::handler'))?.instance
    await vi.waitFor(async () => expect(await owner()).toBe(guard.bridge.worker.instance), WITHIN)
    await vi.waitFor(async () => expect(await status(guard.bridge)).toBe(401), WITHIN)
    expect(
      guard.lines.find('warn', /asks nobody who they are, and this process asks callers for a token: who is let in/),
    ).toHaveLength(1)
  })

  it('goes on as soon as its file says who may ask, or the other one asks nobody any more', async () => {
    await using engine = await start()
    await using guard = await open(engine, asking)
    await using late = await open(engine, {})
    guard.bridge.set({ auth: AuthBlock.parse({ mode: 'off' }) })
    await vi.waitFor(() => expect(late.lines.find('info', /answered again/)).toHaveLength(1), WITHIN)
    guard.bridge.set(asking)
    late.bridge.set({ tier: 'ops' })
    await vi.waitFor(() => expect(late.lines.find('error', SHUT)).toHaveLength(2), WITHIN)
    late.bridge.set({ auth: AuthBlock.parse({ mode: 'off' }) })
    await guard.bridge[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await status(late.bridge)).toBe(200), WITHIN)
  })

  it('bridges that say who may ask, or are at other paths, serve side by side, and what is different is said once', async () => {
    await using engine = await start()
    await using guard = await open(engine, asking)
    await using elsewhere = await open(engine, { apiPath: '/open' })
    await using written = await open(engine, { auth: AuthBlock.parse({ mode: 'off' }) })
    await using other = await open(engine, { ...asking, tier: 'ops' })
    expect(await status(elsewhere.bridge)).toBe(200)
    expect(elsewhere.lines.find('error', /./).concat(written.lines.find('error', /./))).toEqual([])
    await vi.waitFor(() => {
      expect(
        written.lines.find('warn', /asks callers for a token, and this process asks nobody who they are \(auth: /),
      ).not.toEqual([])
      expect(
        other.lines.find('warn', /works with other settings than this process \(tier\): what clients see/),
      ).toHaveLength(1)
      expect(guard.lines.find('warn', /works with other settings than this process \(tier\)/)).toHaveLength(1)
    }, WITHIN)
  })
})
