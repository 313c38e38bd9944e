import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { startBridge } from '../../testing/bridge.ts'
import { readServerBlock, startInstallStage } from '../../testing/install-stage.ts'

describe('the address of a bridge', () => {
  it('is where the engine has its HTTP port, and the path of the bridge', async () => {
    await using engine = await startMockEngine()
    await using stage = await startInstallStage()
    const { code } = await stage.run('install cursor --transport http --api-path /tools', {}, { III_URL: engine.url })
    expect([code, await readServerBlock(stage)]).toEqual([0, { url: `${engine.httpUrl}/tools` }])
  })

  it('is the one that is given, for which no engine is asked, and is taken out again', async () => {
    await using stage = await startInstallStage()
    const words = 'install claude-code --transport http --address https://mcp.example.com/mcp'
    expect((await stage.run(words)).code).toBe(0)
    const entry = await readServerBlock(stage, 'home/.claude.json')
    expect(entry).toEqual({ type: 'http', url: 'https://mcp.example.com/mcp' })
    expect((await stage.run(words)).stdout).toContain('nothing to do')
    expect((await stage.run('install claude-code --uninstall')).stderr).toContain(
      'is another server, reached by its url',
    )
    expect((await stage.run('install claude-code --transport http --uninstall')).code).toBe(0)
    expect(await readServerBlock(stage, 'home/.claude.json')).toEqual({})
  })

  it('goes with the header that a bridge asks for, and says nothing of it where none does', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { auth: AuthBlock.parse({ mode: 'required' }) } })
    await using stage = await startInstallStage()
    const words = 'install cursor --transport http'
    const { stderr } = await stage.run(words, {}, { III_URL: engine.url })
    expect(stderr).toContain('asks for a token: give the entry the header Authorization: Bearer TOKEN')
    expect((await stage.run(`${words} --uninstall`)).stderr).toBe('')
    bridge.set({ auth: undefined })
    expect((await stage.run(`${words} --print`, {}, { III_URL: engine.url })).stderr).not.toContain('token')
  })

  it('is written where nothing serves it too, and told to lead nowhere', async () => {
    await using engine = await startMockEngine()
    await using stage = await startInstallStage()
    const words = 'install cursor --transport http'
    const { code, stderr } = await stage.run(`${words} --api-path /tools`, {}, { III_URL: engine.url })
    expect([code, await readServerBlock(stage)]).toEqual([0, { url: `${engine.httpUrl}/tools` }])
    expect(stderr).toBe(
      `no bridge answers at ${engine.httpUrl}/tools (HTTP 404); the client reaches nothing there until one is started: npx -y @iii/mcp --no-stdio --url ${engine.url} --api-path /tools\n`,
    )
    const elsewhere = await stage.run(`${words} --name other --address http://127.0.0.1:1/mcp`)
    expect(elsewhere.stderr).toMatch(
      /^no bridge answers at http:\/\/127.0.0.1:1\/mcp \(.+\); .* until one is started\n$/,
    )
    expect((await stage.run(`${words} --name third --address http://me:pw@127.0.0.1:1/mcp`)).stderr).toBe('')
    expect((await stage.run(`${words} --name fifth --address http://:pw@127.0.0.1:1/mcp`)).stderr).toBe('')
    await using _ = await startBridge(engine)
    expect((await stage.run(`${words} --name fourth`, {}, { III_URL: engine.url })).stderr).toBe('')
  })

  it.each([
    ['an event stream that stays open', 200, 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n', /^$/],
    ['a refusal for want of a session', 400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}', /^$/],
    [
      'a refused host',
      403,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}',
      /^what answers at http\S+ refuses requests \(HTTP 403\)/,
    ],
    [
      'a bridge that serves nothing',
      503,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}',
      /\(HTTP 503\)/,
    ],
    ['a long page', 200, 'x'.repeat(100_000), /^no bridge answers at .* \(HTTP 200\)/],
  ])('is judged by the beginning of what it answers: %s', async (_, status, beginning, told) => {
    const server = createServer((_request, response) => void response.writeHead(status).write(beginning))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    await using stage = await startInstallStage()
    const { code, stderr } = await stage.run(`install cursor --transport http --address http://127.0.0.1:${port}/mcp`)
    server.closeAllConnections()
    server.close()
    expect([code, stderr]).toEqual([0, expect.stringMatching(told)])
  })

  it('takes the place of the process that this client started', async () => {
    await using stage = await startInstallStage()
    await stage.run('install cursor --tier ops')
    await stage.run('install cursor --transport http --address http://127.0.0.1:3111/mcp')
    expect(await readServerBlock(stage)).toEqual({ url: 'http://127.0.0.1:3111/mcp' })
  })

  it.each([
    [
      'install claude-desktop --transport http',
      2,
      'Claude Desktop reads no addresses from its file: leave --transport',
    ],
    ['install cursor --transport http --tier ops', 2, '--tier is for the bridge that serves the address'],
    ['install cursor --address http://x', 2, '--address goes with --transport http'],
    ['install cursor --transport http --address x', 2, '--address: must be an address, for example https://'],
    ['install cursor --transport htp', 2, "did you mean 'http'?"],
    ['install cursor --transport http --url ws://127.0.0.1:9', 4, 'no engine answers at ws://127.0.0.1:9'],
  ])('%s ends with %i', async (words, code, text) => {
    await using stage = await startInstallStage()
    expect(await stage.run(words)).toMatchObject({ code, stderr: expect.stringContaining(text) })
    expect((await stage.files()).filter((name) => name.startsWith('home/'))).toEqual([])
  })
})

describe('every failure is JSON for whoever asked for it', () => {
  it.each([
    ['install cursr', 2, { error: expect.stringContaining('did you mean cursor?') }],
    ['install', 2, { error: expect.stringContaining('install needs CLIENT') }],
    ['install cursor --nam x', 2, { error: expect.stringContaining('did you mean --name?') }],
    ['install vscode', 1, { error: expect.stringContaining('line 1: ') }],
    ['install cursor', 1, { difference: expect.arrayContaining(['- "command": "docker"']), file: expect.any(String) }],
  ])('%s', async (words, exit_code, facts) => {
    await using stage = await startInstallStage()
    await stage.write('home/.cursor/mcp.json', '{"mcpServers":{"iii":{"command":"docker"}}}')
    await stage.write('home/.config/Code/User/mcp.json', '{')
    const { code, stdout, stderr } = await stage.run(`${words} --json`)
    expect(code).toBe(exit_code)
    expect(JSON.parse(stdout)).toMatchObject({ exit_code, ...facts })
    expect(stderr).toMatch(/^iii-mcp: /)
  })
})
