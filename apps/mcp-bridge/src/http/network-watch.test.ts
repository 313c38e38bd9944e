import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { untilAnswer } from '../testing/until.ts'
import type { FrontDoorRules } from './host-and-origin.ts'
import { createNetworkWatch } from './network-watch.ts'

const NOBODY_SAID: FrontDoorRules = { allowedHosts: [], allowedOrigins: [] }

async function startStage(host: string, rules: FrontDoorRules) {
  const engine = await startMockEngine({ host })
  const lines: string[] = []
  const keep = (fields: object | string, message = '') => {
    lines.push(typeof fields === 'string' ? fields : `${JSON.stringify(fields)} ${message}`)
  }
  const log = { ...createLog({ name: 'mcp', level: 'silent' }), warn: keep, error: keep }
  const url = engine.url.replace('0.0.0.0', '127.0.0.1')
  const worker = registerWorker(url, { name: 'mcp', log: createLog({ name: 'mcp', level: 'silent' }) })
  let asked = 0
  let current = rules
  const watch = createNetworkWatch({
    worker,
    log,
    rules: () => current,
    addresses() {
      asked += 1
      return ['127.0.0.2']
    },
  })
  return {
    lines,
    watch,
    asked: () => asked,
    set(next: FrontDoorRules) {
      current = next
      watch.look()
    },
    async [Symbol.asyncDispose]() {
      watch.close()
      await worker.shutdown()
      await engine.close()
    },
  }
}

describe('the watch over networks', () => {
  it('warns once where they reach the port and nobody has said who may ask', async () => {
    await using stage = await startStage('0.0.0.0', NOBODY_SAID)
    await untilAnswer(
      () => stage.lines,
      (lines) => lines.length === 1,
    )
    expect(stage.lines[0]).toContain('"addresses":["127.0.0.2"]')
    expect(stage.lines[0]).toContain('networks reach the HTTP port, and nobody is asked who they are')
    stage.watch.look()
    expect([stage.asked(), stage.lines.length]).toEqual([1, 1])
  })

  it('says nothing where only this machine reaches it', async () => {
    await using stage = await startStage('127.0.0.1', NOBODY_SAID)
    await untilAnswer(stage.asked, (count) => count === 1)
    stage.watch.look()
    await untilAnswer(stage.asked, (count) => count === 2)
    expect(stage.lines).toEqual([])
  })

  it('says nothing where it was said who may ask, be it everybody', async () => {
    await using stage = await startStage('0.0.0.0', { ...NOBODY_SAID, auth: { mode: 'off' } })
    stage.set({ ...NOBODY_SAID, allowedHosts: ['mcp.example.com'], auth: { mode: 'required' } })
    expect([stage.asked(), stage.lines]).toEqual([0, []])
  })

  it('says what is refused and why, each time that the settings come to that', async () => {
    await using stage = await startStage('127.0.0.1', { ...NOBODY_SAID, auth: { mode: 'off' } })
    const open = { ...NOBODY_SAID, allowedHosts: ['mcp.example.com'] }
    stage.set(open)
    stage.set(open)
    expect(stage.lines).toEqual([expect.stringContaining('This server answers nothing: allowed_hosts opens it')])
    stage.set({ ...open, auth: { mode: 'off' } })
    stage.set(open)
    expect(stage.lines).toHaveLength(2)
  })
})
