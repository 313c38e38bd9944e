import { chmod, mkdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readServerBlock, startInstallStage } from '../../testing/install-stage.ts'

const COPY = 'mcp.json.iii-backup'
const INSTALLED = '/x/node_modules/@iii/mcp/bin/iii-mcp.js'

describe('the block', () => {
  it('of a checkout starts its launcher with Node by its absolute path', async () => {
    await using stage = await startInstallStage()
    const { code, stdout } = await stage.run('install cursor --print')
    expect(code).toBe(0)
    const launcher = join(stage.path, 'checkout/bin/iii-mcp.js')
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: { iii: { command: join(stage.path, 'node/bin/node'), args: [launcher] } },
    })
  })

  it('of a checkout that was not built says what to do', async () => {
    await using stage = await startInstallStage()
    const script = join(stage.path, 'elsewhere/bin/iii-mcp.js')
    const { code, stdout, stderr } = await stage.run('install cursor', { script })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('iii-mcp.js was not built yet: run npx pnpm build')
  })

  it('of an archive starts its one file', async () => {
    await using stage = await startInstallStage()
    const script = await stage.write('workers/mcp', '')
    const { stdout } = await stage.run('install cursor --print --tier ops', { script })
    const args = [script, '--tier', 'ops']
    expect(JSON.parse(stdout).mcpServers.iii).toEqual({ command: join(stage.path, 'node/bin/node'), args })
  })

  it('of a package starts this version with the npx of this Node, which finds Node on the PATH', async () => {
    await using stage = await startInstallStage()
    const npx = await stage.write('node/lib/node_modules/npm/bin/npx-cli.js', '')
    const { stdout } = await stage.run('install cursor --print', { script: INSTALLED })
    expect(JSON.parse(stdout).mcpServers.iii).toEqual({
      command: join(stage.path, 'node/bin/node'),
      args: [npx, '-y', '@iii/mcp@1.2.3'],
      env: { PATH: `${join(stage.path, 'node/bin')}:/usr/local/bin:/usr/bin:/bin` },
    })
  })

  it('of a package without npx says so', async () => {
    await using stage = await startInstallStage()
    const { code, stderr } = await stage.run('install cursor', { script: INSTALLED, env: {} })
    expect(code).toBe(1)
    expect(stderr).toContain('there is no npx beside the Node at')
    expect(await stage.files()).not.toContain('home/.cursor/mcp.json')
  })

  it('has the flags that were given, and what the environment of this shell says', async () => {
    await using stage = await startInstallStage()
    const words = 'install vscode --print --tier ops --hidden-prefixes a::,b:: --no-require-expose --debug --name shop'
    const file = await stage.write('bridge.yaml', 'require_expose: true')
    const env = { III_URL: 'ws://user:secret@engine:49134', III_CONFIG: file }
    const { stdout } = await stage.run(words, {}, env)
    const { type, args } = JSON.parse(stdout).servers.shop
    expect(type).toBe('stdio')
    expect(args.slice(1)).toEqual([
      ...['--url', 'ws://user:secret@engine:49134', '--config', file, '--debug'],
      ...['--hidden-prefixes', 'a::,b::', '--require-expose=false', '--tier', 'ops'],
    ])
  })
})

describe('a client is given the server', () => {
  it('in a new file, that its owner alone may read', async () => {
    await using stage = await startInstallStage()
    const { code, stdout } = await stage.run('install cursor')
    const file = join(stage.path, 'home/.cursor/mcp.json')
    expect([code, stdout]).toEqual([
      0,
      `iii was put into ${file}\nnext: start Cursor again, or switch the server on in its settings\n`,
    ])
    expect(await readServerBlock(stage)).toMatchObject({ command: join(stage.path, 'node/bin/node') })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual(['home/.cursor/mcp.json'])
  })

  it('in the file that is there, with a copy of it and its permissions', async () => {
    await using stage = await startInstallStage()
    const before = '{\n  // mine\n  "mcpServers": { "a": { "command": "a" } }\n}\n'
    const file = await stage.write('home/.cursor/mcp.json', before)
    await chmod(file, 0o640)
    const { code, stdout } = await stage.run('install cursor')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`as it was: ${join(stage.path, 'home/.cursor', COPY)}`)])
    expect(await stage.read(`home/.cursor/${COPY}`)).toBe(before)
    expect(await stage.read('home/.cursor/mcp.json')).toContain('// mine')
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    expect(await stage.files()).not.toContainEqual(expect.stringMatching(/\/\.[^/]*\.iii-/))
  })

  it('once: the second time there is nothing to do, and no copy', async () => {
    await using stage = await startInstallStage()
    await stage.run('install cursor')
    const before = await stage.files()
    const { code, stdout } = await stage.run('install cursor')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^iii is already in .*mcp\.json: nothing to do\n$/)])
    expect(await stage.files()).toEqual(before)
    expect(JSON.parse((await stage.run('install cursor --json')).stdout)).toMatchObject({
      client: 'cursor',
      changed: false,
      backup: null,
    })
  })

  it('with one copy, of the last change, which goes when the server does', async () => {
    await using stage = await startInstallStage()
    await stage.write('home/.cursor/mcp.json', '{}')
    for (const tier of ['a', 'b', 'c']) await stage.run(`install cursor --tier ${tier}`)
    const files = async () => (await stage.files()).filter((name) => name.startsWith('home/'))
    expect(await files()).toEqual(['home/.cursor/mcp.json', `home/.cursor/${COPY}`])
    expect(await stage.read(`home/.cursor/${COPY}`)).toContain('"b"')
    await stage.run('install cursor --uninstall')
    expect(await files()).toEqual(['home/.cursor/mcp.json'])
    expect(JSON.parse(await stage.read('home/.cursor/mcp.json'))).toEqual({ mcpServers: {} })
  })

  it.each(['cursor', 'codex'])('as an address, which %s is told how to give up', async (client) => {
    await using stage = await startInstallStage()
    await stage.run(`install ${client} --transport http --address http://127.0.0.1:3111/mcp`)
    const { code, stderr } = await stage.run(`install ${client} --uninstall`)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        '\n--transport http takes out what is no more than an address, and --force whatever it is;',
      ),
    ])
    expect((await stage.run(`install ${client} --uninstall --transport http`)).code).toBe(0)
  })

  it('and makes no file where there is none to take it out of', async () => {
    await using stage = await startInstallStage()
    for (const client of ['cursor', 'codex']) {
      expect((await stage.run(`install ${client} --uninstall`)).stdout).toMatch(/^iii is not in .*: nothing to do\n$/)
    }
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual([])
  })

  it('in the place of an older one, of which nothing stays, and what went is told', async () => {
    await using stage = await startInstallStage()
    const old = { command: 'npx', args: ['-y', '@iii/mcp@0.0.1'], env: { III_URL: 'ws://old' }, disabled: true }
    await stage.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { iii: old } }))
    const { stdout } = await stage.run('install cursor')
    expect(Object.keys(await readServerBlock(stage))).toEqual(['command', 'args'])
    expect(stdout).toContain('  - "env": {"III_URL":"<secret>"}\n  - "disabled": true\n')
    expect(stdout).not.toContain('ws://old')
  })

  it('as a table of TOML, with the comments of the rest', async () => {
    await using stage = await startInstallStage()
    const before = 'model = "o" # mine\n\n[mcp_servers.a]\ncommand = "a"\n'
    await stage.write('home/.codex/config.toml', before)
    expect((await stage.run('install codex --tier ops')).code).toBe(0)
    const node = join(stage.path, 'node/bin/node')
    const launcher = join(stage.path, 'checkout/bin/iii-mcp.js')
    expect(await stage.read('home/.codex/config.toml')).toBe(
      `${before}\n[mcp_servers.iii]\ncommand = "${node}"\nargs = [ "${launcher}", "--tier", "ops" ]\n`,
    )
    expect((await stage.run('install codex --print')).stdout).toMatch(/^\[mcp_servers\.iii\]\ncommand = /)
    expect((await stage.run('install codex --uninstall')).code).toBe(0)
    expect(await stage.read('home/.codex/config.toml')).toBe(before)
  })

  it('at the end of a symbolic link, which stays one', async () => {
    await using stage = await startInstallStage()
    await stage.write('dotfiles/cursor.json', '{}')
    await mkdir(join(stage.path, 'home/.cursor'), { recursive: true })
    await symlink(join(stage.path, 'dotfiles/cursor.json'), join(stage.path, 'home/.cursor/mcp.json'))
    expect((await stage.run('install cursor')).code).toBe(0)
    expect(await readServerBlock(stage, 'dotfiles/cursor.json')).toHaveProperty('command')
    expect(await readFile(join(stage.path, 'home/.cursor/mcp.json'), 'utf8')).toBe(
      await stage.read('dotfiles/cursor.json'),
    )
  })

  it('in another file, and taken out again', async () => {
    await using stage = await startInstallStage()
    const file = await stage.write('project/.mcp.json', '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n')
    await stage.run(`install claude-code --file ${file} --url ws://10.0.0.1:1`)
    expect((await readServerBlock(stage, 'project/.mcp.json'))['args']).toContain('ws://10.0.0.1:1')
    const { code, stdout } = await stage.run(`install claude-code --file ${file} --uninstall`)
    expect([code, stdout]).toEqual([0, `iii was taken out of ${file}\nnext: start Claude Code again\n`])
    expect(await stage.read('project/.mcp.json')).toBe('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n')
    const again = await stage.run(`install claude-code --file ${file} --uninstall`)
    expect([again.code, again.stdout]).toEqual([0, `iii is not in ${file}: nothing to do\n`])
  })
})
