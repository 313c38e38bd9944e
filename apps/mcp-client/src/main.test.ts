import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'

const program = inject('nodeArgs')['apps/mcp-client/src/main.ts']
const root = fileURLToPath(new URL('../../../', import.meta.url))

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: root,
    env: {},
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the program', () => {
  it('prints its help, with its commands', () => {
    const { status, stdout } = run('--help')
    expect(status).toBe(0)
    for (const text of [
      '--config',
      'servers',
      'pins',
      'approve NAME [TOOL…]',
      'import FILE',
      'explain FUNCTION',
      'Exit codes:',
    ]) {
      expect(stdout).toContain(text)
    }
  })

  it('prints its manifest', () => {
    expect(JSON.parse(run('--manifest').stdout)).toMatchObject({
      name: 'mcp-client',
      default_config: { pins: 'mcp-client.lock.json', servers: {} },
    })
  })

  it('says that there are no servers where no file is named', async () => {
    const child = spawn(process.execPath, [...program, '--url', 'ws://127.0.0.1:9'], { cwd: root, env: {} })
    const [first] = (await once(child.stderr, 'data')) as [Buffer]
    child.kill('SIGKILL')
    expect(String(first)).toContain('no configuration file is named, so there are no MCP servers')
  })

  it('does not say what is in a file that cannot be used', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'iii-mcp-client-'))
    const file = join(folder, 'servers.yaml')
    await writeFile(file, 'servers: [\n', { mode: 0o600 })
    const child = spawn(process.execPath, [...program, '--config', file, '--url', 'ws://127.0.0.1:9'], {
      cwd: root,
      env: {},
    })
    let said = ''
    for await (const chunk of child.stderr) {
      said += chunk
      if (said.includes('trying again until it answers')) break
    }
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
    expect(said).toContain('the configuration file cannot be used')
    expect(said).not.toContain('no MCP servers are in')
  })

  it('runs its commands, and asks nobody where there is no terminal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'iii-mcp-client-'))
    try {
      const file = join(folder, 'mcp.json')
      await writeFile(file, '{"mcpServers": {"a": {"command": "x"}}}')
      const { status, stdout, stderr } = run('import', file)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/\n {2}a:\n {4}command: x\n/)
      expect(run('lst')).toMatchObject({ status: 2, stderr: expect.stringContaining('did you mean list?') })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
