import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { BridgeOptions } from '../../options.ts'
import { startBridge } from '../../testing/bridge.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { untilAnswer } from '../../testing/until.ts'

async function startStage(options: Partial<BridgeOptions> = {}) {
  const engine = await startMockEngine({ functionsPollMs: 50 })
  const bridge = await startBridge(engine, { options })
  const offer = (id: string, metadata: Record<string, unknown> = {}) =>
    bridge.other.registerFunction(id, () => id, { metadata })
  return {
    url: engine.url,
    bridge,
    offer,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

describe('doctor about tools', () => {
  it('counts what clients see over each transport, as the running bridge lists it, and says what hides the others', async () => {
    await using stage = await startStage({ requireExpose: true })
    stage.offer('orders::list', { 'mcp.expose': true })
    for (const id of ['orders::purge', 'orders::wipe']) stage.offer(id)
    stage.offer('orders::on-change', { internal: true })
    await stage.bridge.other.ready()
    const listed = await untilAnswer(stage.bridge.toolNames, (names) => names.includes('orders__list'))
    const { of } = await runDoctor(stage.url)
    const { verdict, summary, details } = of('tools')
    expect([verdict, summary]).toEqual([
      'ok',
      expect.stringContaining(
        `a client sees 7 tools over stdio and ${listed.length} over HTTP, by the settings of the bridge that runs`,
      ),
    ])
    expect(summary).toMatch(/the running bridge lists 1 tool, \d+ prompts and \d+ resources over HTTP$/)
    expect(details).toEqual([
      '2 hidden: its metadata has no mcp.expose: true, which require_expose asks for (orders::purge, orders::wipe)',
      expect.stringContaining('6 management tools are hidden over HTTP'),
    ])
  })

  it('says why a list is shorter than what clients see', async () => {
    await using stage = await startStage({ tools: 'search' })
    for (const id of ['orders::list', 'orders::get', 'orders::cancel']) stage.offer(id)
    await stage.bridge.other.ready()
    await untilAnswer(
      () => stage.bridge.call('search_tools', { query: 'cancel' }),
      ({ structuredContent }) => JSON.stringify(structuredContent).includes('orders__cancel'),
    )
    const { of } = await runDoctor(stage.url)
    const { summary } = of('tools')
    expect(summary).toContain('and 3 over HTTP, by the settings of the bridge that runs')
    expect(summary).toMatch(/lists 2 tools, .+ over HTTP \(tools: search, the others are found\)$/)
  })

  it('takes a tier that hides everything for a problem, and advises a command that is complete', async () => {
    await using stage = await startStage()
    stage.offer('orders::list', { 'mcp.tier': 'user', 'mcp.expose': true })
    await stage.bridge.other.ready()
    const words = ['--tier', 'gold', '--api-path', '/tools', '--url', stage.url]
    const { code, of } = await runDoctor(stage.url, words)
    expect(code).toBe(1)
    expect(of('tools')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('everything that workers offer is hidden'),
      details: expect.arrayContaining([expect.stringContaining("its mcp.tier is 'user'")]),
      advice: [
        expect.stringContaining("of orders::list: set mcp.tier: 'gold'"),
        `see what hides each: iii-mcp explain --url ${stage.url} --api-path /tools --tier gold`,
      ],
    })
    expect(of('route').advice.join()).toContain(
      `npx -y @iii/mcp --no-stdio --url ${stage.url} --api-path /tools --tier gold;`,
    )
    expect(of('registry').advice.join()).toContain(`npx -y @iii/skills --url ${stage.url}`)
  })

  it('says that there is nothing to show', async () => {
    await using stage = await startStage()
    expect((await runDoctor(stage.url)).of('tools')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining('no worker offers a function'),
    })
  })
})
