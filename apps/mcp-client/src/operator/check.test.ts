import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
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
    const { code, stdout } = await it.run(['check'])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^good: starts \(scripted 1.0.0, MCP 2025-11-25\)\nTOOL +STATE +FUNCTION\necho +would be registered +good::echo\ndrop_all +denied +good::drop_all$/m,
    )
    expect(stdout).toMatch(
      /^gone: does not work\n {2}exited_before_initialize: .*\n {4}→ run the command by hand.*\n {2}stderr: no token$/m,
    )
    expect(stdout).not.toMatch(/untrusted|off/)
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
    expect(await it.run(['check'])).toMatchObject({ code: 0, stderr: expect.stringContaining('none was started') })
  })

  it('says that a secret is missing, and starts nothing then', async () => {
    await using it = await startCommandStage({ good: server({}, { env: { set: { TOKEN: { env: 'NOBODY' } } } }) })
    expect(await it.json(['check', 'good'])).toMatchObject({
      servers: [{ name: 'good', isWell: false, diagnostics: [{ code: 'secret_missing' }] }],
    })
  })
})
