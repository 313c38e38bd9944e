import { startMockEngine } from '@iii/mock-engine'
import { MANAGEMENT_TOOL_NAMES } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../testing/command.ts'
import type { BuiltInVerdict } from './built-in.ts'

/** No engine has to be there. */
const NOWHERE = { env: { III_URL: 'ws://127.0.0.1:9', III_MCP_TIER: 'ops' } }

async function explain(name: string, flags: readonly string[]) {
  const { code, stdout } = await runCommand(['explain', '--json', name, ...flags], NOWHERE)
  return { code, ...(JSON.parse(stdout) as { stdio: BuiltInVerdict; http: BuiltInVerdict }) }
}

const USABLE = { shown: true, usable: true }

describe('explain of a management tool', () => {
  it.each<[string, string[], object, object, number]>([
    ['iii_trigger_void', [], USABLE, { shown: false, changes: ['start it with --http-builtins'] }, 0],
    ['iii_trigger_enqueue', ['--http-builtins'], USABLE, USABLE, 0],
    [
      'iii_worker_register',
      [],
      { shown: true, usable: false, changes: ['start it with --allow-run'] },
      { shown: false, usable: false, changes: [] },
      1,
    ],
    ['iii_worker_stop', ['--allow-run', '--http-builtins'], USABLE, { shown: true, usable: false, changes: [] }, 0],
    [
      'iii_trigger_register',
      ['--no-builtins'],
      { shown: false, changes: ['start the bridge without --no-builtins and start it with --allow-run'] },
      { shown: false, reason: '--no-builtins is set', changes: [] },
      1,
    ],
    [
      'iii_trigger_void',
      ['--no-builtins'],
      { shown: false, changes: ['start the bridge without --no-builtins'] },
      { changes: ['start the bridge without --no-builtins and start it with --http-builtins'] },
      1,
    ],
  ])('%s with %j', async (name, flags, stdio, http, code) => {
    expect(await explain(name, flags)).toMatchObject({ stdio, http, code })
  })

  it.each(['search_tools', 'call_tool'])('knows %s, which stands in for a list of all tools', async (name) => {
    expect(await explain(name, ['--tools', 'search'])).toMatchObject({ stdio: USABLE, http: USABLE, code: 0 })
    const hidden = { shown: false, reason: 'lists have all tools', changes: ['start the bridge with --tools search'] }
    expect(await explain(name, [])).toMatchObject({ stdio: hidden, http: hidden, code: 1 })
  })

  it('says in words what hides it and which switch changes that', async () => {
    const { stdout } = await runCommand(['explain', 'iii_worker_register'], NOWHERE)
    expect(stdout).toBe(
      [
        'iii_worker_register: a management tool of the bridge itself',
        '  stdio    shown, and refused: it runs code on this machine, which the bridge',
        '           was not allowed to do',
        '           to change that: start it with --allow-run',
        '  HTTP     hidden: over HTTP it is refused whatever the flags: it takes the',
        '           process that a client has started',
        '           nothing changes that',
        '',
      ].join('\n'),
    )
  })
})

describe('explain', () => {
  it('lists the management tools beside the functions', async () => {
    await using engine = await startMockEngine()
    const setup = { env: { III_URL: engine.url } }
    const { stdout } = await runCommand(['explain', '--allow-run'], setup)
    expect(stdout).toMatch(/^MANAGEMENT TOOL +STDIO +HTTP\niii_worker_register +shown +hidden$/m)
    const json = JSON.parse((await runCommand(['explain', '--json'], setup)).stdout) as {
      management_tools: { management_tool: string; stdio: BuiltInVerdict }[]
    }
    expect(json.management_tools.map((tool) => tool.management_tool)).toEqual(MANAGEMENT_TOOL_NAMES)
    expect(json.management_tools[0]?.stdio).toMatchObject({ shown: true, usable: false })
  })

  it('knows the prompts and resources that the bridge brings along', async () => {
    await using engine = await startMockEngine()
    const setup = { env: { III_URL: engine.url } }
    for (const name of ['build-api', 'iii://workers']) {
      expect(await runCommand(['explain', name], setup)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`${name}: a `),
      })
      const off = await runCommand(['explain', name, '--no-builtins'], setup)
      expect([off.code, off.stdout]).toEqual([1, expect.stringContaining('without --no-builtins')])
    }
  })
})
