import { startMockEngine } from '@iii/mock-engine'
import { formatToolName } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import type { BridgeOptions } from '../../options.ts'
import { runCommand } from '../../testing/command.ts'
import { startExplainStage } from '../../testing/explain-stage.ts'
import { createFolder } from '../../testing/folder.ts'
import { toForeign } from '../../testing/foreign-metadata.ts'
import { startSkillsWorker } from '../../testing/skills-worker.ts'
import { untilAnswer } from '../../testing/until.ts'
import { startSurvey } from './survey.ts'

/** Two ids that have the same tool name, hash and all. The first comes first. */
const [WINNER, LOSER] = ['x#?@++y', 'x@!!!./y'] as const

const FUNCTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  'orders::create': { 'mcp.expose': true },
  'orders::list': {},
  'orders::purge': { mcp: { expose: false } },
  'orders::odd': { mcp: toForeign({ expose: 'yes' }) },
  'reports.daily': { 'mcp.expose': true, mcp: { tier: 'ops' } },
  'reports::weekly': { 'mcp.tier': 'user' },
  'plumbing::tick': { internal: true },
  'shell::run': { 'mcp.expose': true },
  iii_worker_stop: {},
  [WINNER]: {},
  [LOSER]: {},
}

async function startStage(options: Partial<BridgeOptions> = {}) {
  const stage = await startExplainStage(FUNCTIONS, options)
  return {
    ...stage,
    json: async (...argv: string[]): Promise<Shown & { functions: Shown[] }> => stage.json(...argv),
  }
}

interface Way {
  name?: string
  uri?: string
  shown: boolean
  rule?: string
  reason?: string
  changes?: string[]
}

interface Shown {
  function_id: string
  tool: Way
  section: Way
  prompts: Way[]
}

describe('explain', () => {
  it.each([
    ['orders::create', [], 0, undefined, undefined],
    ['orders__create', [], 0, undefined, undefined],
    ['orders::list', ['--require-expose'], 1, 'expose_missing', 'set mcp.expose: true in its metadata'],
    ['orders::purge', [], 1, 'expose_not_true', 'set mcp.expose: true in its metadata'],
    ['orders::odd', ['--expose-all'], 1, 'expose_not_true', 'set mcp.expose: true in its metadata'],
    ['reports.daily', ['--tier', 'ops'], 0, undefined, undefined],
    ['reports.daily', ['--tier', 'user'], 1, 'tier', "set mcp.tier: 'user' in its metadata"],
    ['reports::weekly', ['--tier', 'user'], 1, 'expose_missing', 'set expose_all'],
    ['orders::list', ['--hidden-prefixes', 'ord,x'], 1, 'hidden_prefix', "take 'ord' out of hidden_prefixes"],
    ['plumbing::tick', [], 1, 'internal_metadata', 'take internal: true out of its metadata'],
    ['shell::run', ['--expose-all'], 1, 'internal_namespace', undefined],
    ['state::get', [], 1, 'internal_namespace', undefined],
    ['nobody::here', [], 3, undefined, undefined],
  ])('%s with %j ends with %i (%s)', async (name, flags, code, rule, change) => {
    await using stage = await startStage()
    expect((await stage.run(name, ...flags)).code).toBe(code)
    if (code === 3) return
    const { tool } = await stage.json(name, ...flags)
    expect([tool.shown, tool.rule]).toEqual([code === 0, rule])
    if (change !== undefined) expect(tool.changes).toContain(change)
    else expect(tool.changes ?? []).toEqual([])
  })

  it('says of each function what the running bridge does with it, tool by tool', async () => {
    for (const options of [{}, { requireExpose: true }, { tier: 'ops' }, { tier: 'user', exposeAll: true }]) {
      await using stage = await startStage(options)
      const { functions } = await stage.json('--all', ...toFlags(options))
      const told = functions.filter(({ tool }) => tool.shown).map(({ tool }) => tool.name ?? '')
      // The engine tells of functions late, so that the list may be one that is being filled.
      const listed = await untilAnswer(stage.bridge.toolNames, (names) => names.length === told.length)
      expect(told.sort()).toEqual(listed.sort())
      for (const { function_id, tool } of functions.filter(({ tool: { rule } }) => rule !== 'name_taken')) {
        const { message } = await stage.bridge.rpc('tools/call', { name: tool.name, arguments: {} })
        const isRefused =
          message.error !== undefined || /is in the iii-engine|not exposed|is disabled/.test(JSON.stringify(message))
        expect([function_id, !isRefused]).toEqual([function_id, tool.shown])
      }
    }
  })

  it('says who has the name of a function that lost it', async () => {
    await using stage = await startStage()
    expect((await stage.json(WINNER)).tool).toEqual({ name: formatToolName(WINNER), shown: true })
    const { code, stdout } = await stage.run(LOSER)
    expect(code).toBe(1)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      `hidden: the tool name ${formatToolName(LOSER)} belongs to ${WINNER}, whose id comes first`,
    )
    expect(stdout).toContain('register one of the two under another id')
  })

  it('lists the functions of workers, and those of the engine when asked', async () => {
    await using stage = await startStage()
    const { stdout, stderr } = await stage.run()
    expect(stdout.split('\n')[0]).toMatch(/^FUNCTION +TOOL$/)
    expect(stdout).toContain('orders__create')
    expect(stdout).toMatch(/^orders::odd +hidden \(expose_not_true\)\n {4}set mcp\.expose: true in its metadata/m)
    expect(stdout).not.toContain('plumbing::tick')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(stdout).not.toContain('state::get')
    expect(stderr).toMatch(/\n\d+ functions that only engine and workers call are left out; --all lists them\n$/)
    const all = await stage.run('--all')
    for (const id of ['state::get', 'plumbing::tick']) expect(all.stdout).toContain(id)
  })

  it('fits the terminal', async () => {
    await using stage = await startStage()
    const { stdout } = await runCommand(['explain'], { env: { III_URL: stage.engine.url, NO_COLOR: '1' }, columns: 60 })
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
    const one = await runCommand(['explain', 'orders::purge'], {
      env: { III_URL: stage.engine.url, NO_COLOR: '1' },
      columns: 60,
    })
    expect(Math.max(...one.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
  })

  it('knows the way as a section and as the handler of prompts', async () => {
    await using stage = await startStage()
    await using skills = await startSkillsWorker(stage.engine.url)
    skills.prompts.set('review', 'orders::list')
    const hidden = await stage.json('orders::list', '--require-expose')
    expect(hidden.tool.shown).toBe(false)
    expect(hidden.section).toMatchObject({ uri: 'iii://fn/orders/list', shown: false, rule: 'expose_missing' })
    expect(hidden.prompts).toEqual([{ name: 'review', shown: true }])
    expect((await stage.run('orders::list', '--require-expose')).code).toBe(0)
    expect((await stage.json('reports.daily')).section).toMatchObject({ shown: false, rule: 'no_address' })
  })

  it('gives a function that is called like a management tool a name of its own', async () => {
    await using stage = await startStage()
    const name = formatToolName('iii_worker_stop')
    expect(await stage.json(name)).toMatchObject({ function_id: 'iii_worker_stop', tool: { name, shown: true } })
  })

  it('finds a function by the address of its section and by its prompt', async () => {
    await using stage = await startStage()
    await using skills = await startSkillsWorker(stage.engine.url)
    skills.prompts.set('review', 'orders::list')
    for (const name of ['review', 'iii://fn/orders/list']) {
      expect((await stage.json(name)).function_id).toBe('orders::list')
    }
  })

  it('knows what does not fit into the list of tools', async () => {
    await using stage = await startStage()
    const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
    const survey = await startSurvey(stage.bridge.other, { rules, maxTools: 2 })
    const tools = (await survey.all({ internal: false })).functions.map(({ tool }) => tool)
    survey.close()
    expect(tools.filter(({ shown }) => shown)).toHaveLength(2)
    const full = tools.filter(({ rule }) => rule === 'list_full')
    expect(full[0]).toMatchObject({ shown: false, reason: expect.stringMatching(/^the list of tools is full \(2\), /) })
    await untilAnswer(stage.bridge.toolNames, ({ length }) => length === full.length + 2)
  })

  it('asks the running bridge for its settings where none are given, and says whose they are', async () => {
    await using stage = await startStage({ tier: 'ops' })
    const asked = await stage.run('reports::weekly')
    expect([asked.code, asked.stderr]).toEqual([1, 'by the settings of the bridge that runs over HTTP\n'])
    expect(await stage.json()).toMatchObject({ settings_from: 'running', settings: { tier: 'ops' } })
    const given = await stage.run('reports::weekly', '--tier', 'user', '--expose-all')
    expect([given.code, given.stderr]).toEqual([0, expect.stringContaining('by the settings given here')])
  })

  it('says of a running bridge that its configuration locks it', async () => {
    await using stage = await startStage()
    stage.bridge.set({}, 'line 1: tier: must not be empty')
    const { stderr } = await stage.run('orders::list')
    expect(stderr).toContain('its configuration locks it, so it answers nothing: line 1: tier: must not be empty')
  })

  it('says that no bridge could be asked', async () => {
    await using engine = await startMockEngine()
    const { code, stderr } = await runCommand(['explain'], { env: { III_URL: engine.url } })
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^no bridge on this engine tells its settings: /)])
  })

  it('knows skills and the addresses of the registry', async () => {
    await using stage = await startStage()
    await using skills = await startSkillsWorker(stage.engine.url)
    skills.skills.set('orders/refunds', '# Refunds')
    for (const name of ['orders/refunds', 'iii://orders/refunds', 'iii://skills']) {
      const { code, stdout } = await stage.run(name)
      expect([name, code, stdout]).toEqual([name, 0, expect.stringContaining('shown: clients list it and read it')])
    }
    expect((await stage.run()).stdout).toMatch(/^ADDRESS +NAME\niii:\/\/skills +skills\n/m)
    const resource = { uri: 'chart://orders', name: 'Chart of orders' }
    stage.bridge.other.registerFunction('orders::draw', () => 'x', { metadata: { 'mcp.resource': resource } })
    await stage.bridge.other.ready()
    expect((await stage.json('chart://orders')).function_id).toBe('orders::draw')
    expect((await stage.run()).stdout).toMatch(/^chart:\/\/orders +Chart of orders$/m)
    expect((await stage.run('orders/refnds')).stderr).toContain('did you mean orders/refunds?')
  })

  it('names the nearest function, and an engine that does not answer', async () => {
    await using stage = await startStage()
    expect((await stage.run('ordrs::create')).stderr).toContain(
      'iii-mcp: nobody registered ordrs::create on this engine; did you mean orders::create?\n',
    )
    const { code, stderr } = await runCommand(['explain', '--url', 'ws://user:secret@127.0.0.1:9'])
    expect([code, stderr]).toEqual([4, expect.stringContaining('no engine answers at ws://127.0.0.1:9 (')])
    expect(stderr).not.toContain('secret')
  })

  it('takes the settings of the file as the bridge does, and refuses one that would lock it', async () => {
    await using stage = await startStage()
    await using folder = await createFolder()
    const good = await folder.write('good.yaml', 'require_expose: true\n')
    const bad = await folder.write('bad.yaml', 'tier: ops\nrequire_expose: maybe\n')
    const { code, stderr } = await stage.run('orders::list', '--config', good)
    expect([code, stderr]).toEqual([1, expect.stringContaining('by the settings given here')])
    expect((await stage.run('orders::list', '--config', good, '--no-require-expose')).code).toBe(0)
    const locked = await stage.run('--config', bad)
    expect([locked.code, locked.stderr]).toEqual([2, expect.stringMatching(/bad\.yaml: line 2: require_expose/)])
  })
})

function toFlags({ requireExpose, tier, exposeAll }: Partial<BridgeOptions>): string[] {
  return [
    ...(requireExpose ? ['--require-expose'] : []),
    ...(exposeAll ? ['--expose-all'] : []),
    ...(tier === undefined ? [] : ['--tier', tier]),
  ]
}
