import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'

describe('the program', () => {
  const bridge = inject('nodeArgs')['apps/mcp-bridge/src/main.ts']
  const run = (...argv: string[]) => spawnSync(process.execPath, [...bridge, ...argv], { encoding: 'utf8' })

  it('says what it is and what can be set', () => {
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { stdout, stderr, status } = run('--help')
    expect([stderr, status]).toEqual(['', 0])
    for (const flag of ['--url', '--engine-url', '--config', '--api-path', '--require-expose', '--expose-all']) {
      expect(stdout).toContain(flag)
    }
    for (const flag of ['--tier', '--no-stdio', '--manifest']) expect(stdout).toContain(flag)
    expect(JSON.parse(run('--manifest').stdout)).toMatchObject({
      name: 'mcp',
      default_config: { api_path: '/mcp', hidden_prefixes: [], require_expose: false },
    })
  })

  it('lists its commands, which run in it', () => {
    const { stdout } = run('--help')
    for (const text of ['Commands:', 'explain [NAME]', 'doctor ', 'install CLIENT']) expect(stdout).toContain(text)
    expect(run('doctr')).toMatchObject({ status: 2, stderr: expect.stringContaining('did you mean doctor?') })
  })

  it('names the nearest flag for one that it does not have, and refuses a bad value', () => {
    expect(run('--require-exposed')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--require-expose/) })
    expect(run('--api-path', '/mcp/{x}')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--api-path/) })
  })

  it('does not start with flags that contradict each other', () => {
    expect(run('--require-expose', '--expose-all', '--no-stdio')).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        "iii-mcp: --require-expose and --expose-all say the opposite of each other: use one of them\nTry 'iii-mcp --help'.\n",
    })
  })

  it('says how to build it when it was not built', () => {
    const launcher = fileURLToPath(new URL('../bin/iii-mcp.js', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
    expect(status === 0 || stderr === 'not built yet: run `npx pnpm build`\n').toBe(true)
  })
})
