import { startMockEngine } from '@iii/mock-engine'
import type { Logger } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { isHeard, listenToCalls, startFeedStage } from '../testing/call-listener.ts'
import { toForeign } from '../testing/foreign-metadata.ts'

describe('what functions were called with', () => {
  const secret = 'hunter2-canary'
  const input = { user: 'me', password: secret, note: `Bearer ${secret}0`, door: secret }
  const door = { type: 'object', properties: { door: { type: 'string', writeOnly: true } } }

  it('is told only where it is asked for, without secrets, and never in the log', async () => {
    const lines: string[] = []
    const write = (...what: unknown[]) => void lines.push(JSON.stringify(what))
    const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { log })
    const plain = await listenToCalls(bridge.other, {}, { id: 'listener::plain' })
    const curious = await listenToCalls(bridge.other, { inputs: true }, { id: 'listener::curious' })
    for (const record of ['redacted', 'digest', 'none', 'whatever']) {
      const options = { request_format: door, metadata: { runs: toForeign({ record }) } }
      bridge.other.registerFunction(`demo::${record}`, () => secret.length, options)
    }
    await bridge.other.ready()
    for (const listener of [plain, curious]) await isHeard(bridge, listener)
    for (const record of ['redacted', 'digest', 'none', 'whatever']) await bridge.call(`demo__${record}`, input)
    const told = await curious.hear({ tool: 'demo__redacted' })
    expect(told.input).toEqual({ user: 'me', password: '<secret>', note: 'Bearer <secret>', door: '<secret>' })
    for (const record of ['digest', 'none', 'whatever']) {
      expect(await curious.hear({ tool: `demo__${record}` })).not.toHaveProperty('input')
      expect(await plain.hear({ tool: `demo__${record}` })).toMatchObject({ bytes_in: JSON.stringify(input).length })
    }
    expect(plain.calls().filter((call) => 'input' in call)).toEqual([])
    expect(JSON.stringify([plain.batches, curious.batches, lines])).not.toContain(secret)
    expect(lines.some((line) => line.includes('tool call'))).toBe(true)
  })

  it('is left out where it is too large', async () => {
    await using at = await startFeedStage({ inputs: true })
    at.bridge.other.registerFunction('demo::eat', () => 'done')
    await at.bridge.other.ready()
    await at.bridge.call('demo__eat', { text: 'a'.repeat(70_000) })
    const call = await at.listener.hear({ tool: 'demo__eat' })
    expect(call).not.toHaveProperty('input')
    expect(call.bytes_in).toBe(70_011)
  })
})
