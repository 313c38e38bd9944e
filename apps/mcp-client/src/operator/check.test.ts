import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { readTools } from '../catalog/read-tools.ts'
import { toCommandHash } from '../configuration/compare.ts'
import { readServers } from '../configuration/read-servers.ts'
import { createPins } from '../pins/pins.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { startCommandStage } from '../testing/command-stage.ts'

const program = fileURLToPath(new URL('../testing/scripted-server.mjs', import.meta.url))
const server = (script: object, settings: object = {}) => ({
  command: process.execPath,
  args: [program, JSON.stringify(script)],
  trust: 'unsandboxed',
  ...settings,
})

describe('check', () => {
  it('starts servers by themselves, shows what would be registered, and approves nothing', async () => {
    await using it = await startCommandStage({
      good: server({ tools: ['echo', 'drop_all'] }, { tools: { deny: ['drop_*'] } }),
      gone: server({ exit: 3, stderr: 'no token' }),
      untrusted: { command: 'x' },
      off: server({}, { disabled: true }),
    })
    const { code, stdout, stderr } = await it.run(['check'])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^good: starts \(scripted 1.0.0, MCP 2025-11-25\)\nTOOL +STATE +FUNCTION\necho +would be registered +good::echo\ndrop_all +denied +good::drop_all$/m,
    )
    expect(stdout).toMatch(
      /^gone: does not work\n {2}exited_before_initialize: .*\n {4}→ run the command by hand.*\n {2}stderr: no token$/m,
    )
    expect(stdout).not.toMatch(/untrusted|off/)
    expect(stderr).toMatch(
      /^untrusted: not started: servers\.untrusted\.trust is missing: .*\noff: not started: servers\.off\.disabled is true$/m,
    )
    expect(await readdir(it.folder)).toEqual(['mcp.yaml'])
  })

  it('starts nothing that the file does not let start', async () => {
    await using it = await startCommandStage({
      untrusted: { command: 'x' },
      off: server({}, { disabled: true }),
      bad: { command: 5 },
    })
    for (const [name, text] of [
      ['untrusted', 'servers.untrusted.trust is missing'],
      ['off', 'servers.off.disabled is true'],
      ['bad', 'servers.bad.command: must be a string'],
    ] as const) {
      expect(await it.run(['check', name])).toMatchObject({ code: 1, stderr: expect.stringContaining(text) })
    }
    const all = await it.run(['check'])
    expect(all).toMatchObject({ code: 1, stdout: '' })
    expect(all.stderr).toMatch(/^bad: not started: .*servers\.bad\.command: must be a string/m)
  })

  it('is content where a file disables a server, or does not trust it', async () => {
    await using it = await startCommandStage({ untrusted: { command: 'x' }, off: server({}, { disabled: true }) })
    expect((await it.run(['check'])).code).toBe(0)
    expect(await it.json(['check'])).toMatchObject({
      servers: [],
      not_started: [{ name: 'untrusted' }, { name: 'off' }],
    })
  })

  it('tells what would wait for approval, unless every change is accepted', async () => {
    const before = server({ tools: ['echo'] })
    const after = server({ tools: [{ name: 'echo', description: 'other', inputSchema: { type: 'object' } }, 'more'] })
    await using it = await startCommandStage({ quiet: before })
    const [entry] = readServers({ quiet: after }, { folder: it.folder })
    if (entry === undefined || !('config' in entry)) throw new Error('the entry is malformed')
    const log = createLog({ name: 'test', level: 'silent' })
    const pins = createPins({ path: join(it.folder, 'mcp-client.lock.json'), log })
    const listed = readTools([{ name: 'echo', inputSchema: { type: 'object' } }], createSecretFilter([]))
    await pins.judge({ name: 'quiet', commandHash: toCommandHash(entry.config) }, listed.tools)
    const states = async (settings: object) => {
      await it.write('mcp.yaml', JSON.stringify({ servers: { quiet: { ...after, ...settings } } }))
      const { servers } = await it.json(['check', 'quiet'])
      const [{ tools } = { tools: [] }] = servers as { tools: { tool: string; state: string }[] }[]
      return tools.map(({ tool, state }) => [tool, state])
    }
    expect(await states({})).toEqual([
      ['echo', 'pending'],
      ['more', 'pending'],
    ])
    expect(await states({ changed_tools: 'accept' })).toEqual([
      ['echo', 'registered'],
      ['more', 'registered'],
    ])
  })

  it('says that a secret is missing, and starts nothing then', async () => {
    await using it = await startCommandStage({ good: server({}, { env: { set: { TOKEN: { env: 'NOBODY' } } } }) })
    expect(await it.json(['check', 'good'])).toMatchObject({
      servers: [{ name: 'good', isWell: false, diagnostics: [{ code: 'secret_missing' }] }],
    })
  })

  it('takes the name of a file for what it is', async () => {
    await using it = await startCommandStage({})
    const without = { env: { III_CONFIG: '' } }
    for (const file of ['nope.yaml', './servers']) {
      expect(await it.run(['check', file], without)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`no configuration file is named: say --config ${file}, or set III_CONFIG`),
      })
    }
  })
})
