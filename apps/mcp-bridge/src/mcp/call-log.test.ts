import { startMockEngine } from '@iii/mock-engine'
import { createLog, type Logger } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'

describe('the log', () => {
  it('has a line for each call of a tool, without what was said', async () => {
    await using engine = await startMockEngine()
    const lines: string[] = []
    const info = (fields: unknown, text?: string) => lines.push(JSON.stringify([fields, text]))
    const log: Logger = Object.assign(Object.create(createLog({ name: 'mcp', level: 'silent' })), { info })
    await using bridge = await startBridge(engine, { log })
    bridge.other.registerFunction('orders::get', () => 'the secret answer')
    bridge.other.registerFunction('orders::fail', () => {
      throw new Error('the secret failure')
    })
    await bridge.other.ready()
    await bridge.call('orders__get', { secret: 'argument' })
    await bridge.call('orders__fail')
    await bridge.call('state__set', { secret: 'argument' })
    await bridge.rpc('tools/call', { name: 'nope' })
    const calls = lines.filter((line) => line.includes('tool call'))
    expect(calls.map((line) => (JSON.parse(line) as unknown[])[0])).toEqual([
      { tool: 'orders__get', outcome: 'ok', ms: expect.any(Number), bytes: 56 },
      { tool: 'orders__fail', outcome: 'error', ms: expect.any(Number), bytes: expect.any(Number) },
      { tool: 'state__set', outcome: 'error', ms: expect.any(Number), bytes: expect.any(Number) },
      { tool: 'nope', outcome: 'refused -32602', ms: expect.any(Number), bytes: 0 },
    ])
    expect(lines.join('')).not.toMatch(/secret/)
  })
})
