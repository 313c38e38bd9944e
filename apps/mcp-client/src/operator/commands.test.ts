import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandStage, startCommandStage } from '../testing/command-stage.ts'

const SERVERS = {
  github: {
    command: 'github-mcp-server',
    args: ['stdio', '--token=hunter2'],
    trust: 'unsandboxed',
    env: {
      inherit: ['HTTPS_PROXY'],
      set: { TOKEN: { env: 'GH' }, KEY: { file: './key' }, LEVEL: { value: 'hunter2' } },
    },
    tools: { allow: ['create_*', 'drop_all', 'odd', 'later'], deny: ['drop_*'] },
  },
  notes: { command: 'notes' },
  off: { command: 'off', trust: 'unsandboxed', disabled: true },
  bad: { command: 5 },
}

const TOOLS = [
  { tool: 'create_issue', functionId: 'github::create_issue', state: 'registered' },
  { tool: 'drop_all', functionId: '', state: 'denied' },
  { tool: 'later', functionId: '', state: 'pending' },
  { tool: 'odd', functionId: '', state: 'left_out' },
] as const

const GITHUB = {
  name: 'github',
  tools: TOOLS,
  server: {
    name: 'GitHub',
    version: '2',
    protocolVersion: '2025-11-25',
    capabilities: ['tools'],
    instructions: 'be\u001b[2J good\nalways',
  },
  diagnostics: [{ code: 'tool_left_out', message: 'the tool "odd" is left out: it has no schema', subject: 'odd' }],
  counts: { 'refused requests': 2 },
  lastFailure: { code: 'exited', message: 'Its process ended (exit code 1)', at: '2026-11-22T05:59:59.000Z' },
  stderr: ['started'],
} as const

let engine: MockEngine
let alone: CommandStage
let stage: CommandStage
let empty: MockEngine

beforeAll(async () => {
  ;[engine, empty] = await Promise.all([startMockEngine(), startMockEngine()])
  alone = await startCommandStage(SERVERS, empty.url)
  stage = await startCommandStage(SERVERS, engine.url)
  await stage.serve(
    GITHUB,
    { name: 'notes', state: 'untrusted', pid: undefined },
    { name: 'elsewhere', state: 'backoff' },
  )
})
afterAll(async () => {
  await Promise.all([alone[Symbol.asyncDispose](), stage[Symbol.asyncDispose]()])
  await Promise.all([engine.close(), empty.close()])
})

describe('list', () => {
  it('shows what the running worker says of the servers of the file', async () => {
    const { code, stdout, stderr } = await stage.run(['list'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^github +ready +1, 1 pending +github-mcp-server stdio --token=<secret> +the tool "odd"/m)
    expect(stdout).toMatch(/^notes +untrusted +0 +notes$/m)
    expect(stdout).toMatch(/^off +disabled +off +the running worker does not have it/m)
    expect(stdout).toMatch(/^bad +malformed .*\(and 1 more: iii-mcp-client show bad\)$/m)
    expect(stdout).toMatch(/^elsewhere +backoff .*the running worker has it, and this file has not/m)
    const { worker, servers } = await stage.json(['list'])
    expect(worker).toBe(true)
    expect(servers).toMatchObject([
      { name: 'github', state: 'ready', trusted: true, tools: { registered: 1, pending: 1, denied: 1, left_out: 1 } },
      { name: 'notes', state: 'untrusted', trusted: false },
      { name: 'off', state: 'disabled' },
      { name: 'bad', state: 'malformed', command: null, diagnostics: [{}, { subject: 'servers.bad.command' }] },
      { name: 'elsewhere', state: 'backoff' },
    ])
  })

  it('shows the file alone where no worker runs, and says so', async () => {
    const { code, stdout, stderr } = await alone.run(['list'])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^no worker mcp-client is on the engine .*; this is from the file alone\n$/),
    ])
    expect(stdout).toMatch(/^github +not running +github-mcp-server/m)
    expect(stdout).toMatch(/^notes +untrusted .*servers.notes.trust is missing, so it is not started/m)
    expect(await alone.json(['list'])).toMatchObject({
      worker: false,
      servers: [{ state: null, tools: null }, {}, {}, {}],
    })
  })
})

describe('show', () => {
  it('shows a server to people, without secrets and without what moves a terminal', async () => {
    const { code, stdout } = await stage.run(['show', 'github'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^github: ready since 2026-11-22T06:00:00.000Z, pid 4711\n/)
    expect(stdout).toMatch(
      /^ {2}variables {5}HTTPS_PROXY \(inherited\)\n {16}TOKEN \(from the variable GH\)\n {16}KEY \(from the file .*key\)\n {16}LEVEL \(written in the file\)$/m,
    )
    expect(stdout).toMatch(/^ {2}server {8}GitHub 2, MCP 2025-11-25$/m)
    expect(stdout).toMatch(/^ {2}instructions {2}be good\n {16}always$/m)
    expect(stdout).toMatch(/^ {2}before {8}exited at 2026-11-22T05:59:59.000Z: Its process ended \(exit code 1\)$/m)
    expect(stdout).toMatch(/^ {2}problems {6}tool_left_out: the tool "odd"/m)
    expect(stdout).not.toMatch(/hunter2|\p{Cc}(?<!\n)/u)
    const found = await stage.json(['show', 'github'])
    expect(found).toMatchObject({
      name: 'github',
      state: 'ready',
      settings: { args: ['stdio', '--token=<secret>'] },
      status: { pid: 4711 },
    })
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it('shows what the file says where no worker runs', async () => {
    const { stdout, stderr } = await alone.run(['show', 'bad'])
    expect(stdout).toBe(
      'bad: malformed\n  problems      malformed: line 1: servers.bad.command: must be a string, not a number: put it in quotes\n',
    )
    expect(stderr).toMatch(/this is from the file alone/)
  })
})

describe('tools', () => {
  it('shows which are functions, and why the others are not', async () => {
    const { stdout } = await stage.run(['tools', 'github'])
    expect(stdout).toMatch(/^github +create_issue +registered +github::create_issue$/m)
    expect(stdout).toMatch(/^github +drop_all +denied +github::drop_all +servers.github.tools$/m)
    expect(stdout).toMatch(/^github +later +pending .*iii-mcp-client approve github shows what is different$/m)
    expect(stdout).toMatch(/^github +odd +left_out .*it has no schema$/m)
    expect(await stage.json(['tools'])).toMatchObject({ tools: [{ tool: 'create_issue' }, {}, {}, {}] })
  })

  it('needs the running worker', async () => {
    expect(await alone.run(['tools'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('iii-mcp-client check NAME'),
    })
  })
})

describe('explain', () => {
  it.each([
    ['github::create_issue', 0, 'registered', "servers.github.tools.allow: 'create_*' allows it"],
    ['github__create_issue', 0, 'registered', "servers.github.tools.allow: 'create_*' allows it"],
    ['github::drop_all', 1, 'denied', "servers.github.tools.deny: 'drop_*' denies it"],
    ['github::later', 1, 'waits for approval', 'servers.github.changed_tools: it is new, or has changed'],
    ['github::odd', 1, 'left out', 'the tool "odd" is left out: it has no schema'],
    ['github::create_wiki', 3, 'unknown to its server', 'the server lists no such tool'],
    ['github::merge', 1, 'denied', 'servers.github.tools.allow: no pattern allows it'],
    ['github::mcp::resources-read', 1, 'denied', 'servers.github.operations'],
    ['notes::add', 1, 'its server does not run', 'servers.notes.trust'],
    ['off::x', 1, 'its server does not run', 'servers.off.disabled'],
    ['bad::x', 1, 'its server does not run', 'servers.bad.command: must be a string'],
  ])('%s ends with %i', async (id, code, state, rule) => {
    const result = await stage.run(['explain', id], { columns: 400 })
    expect(result).toMatchObject({ code, stdout: expect.stringContaining(state) })
    expect(result.stdout).toContain(rule)
    expect(result.stdout).toContain(`iii-mcp explain ${id.replace('__', '::')}`)
  })

  it('says what the file alone decides where no worker runs', async () => {
    expect(await alone.json(['explain', 'github::drop_all'])).toMatchObject({
      worker: false,
      state: 'denied',
      rule: 'servers.github.tools.deny',
    })
    expect(await alone.json(['explain', 'github::create_issue'])).toMatchObject({
      state: 'unknown',
      rule: 'servers.github.tools.allow',
    })
  })
})

describe('a command', () => {
  it.each<[string[], number, string]>([
    [['show', 'gitub'], 3, "no server 'gitub' is in the configuration file; did you mean github?"],
    [['show'], 2, 'show needs NAME'],
    [['explain', 'nonsense'], 2, "'nonsense' is no function of a server"],
    [['explain', 'nobody::x'], 3, "no server 'nobody'"],
    [['list', '--yes'], 2, 'list knows no --yes'],
    [['lst'], 2, 'did you mean list?'],
    [
      ['list', '--config', '/nowhere.yaml'],
      2,
      '/nowhere.yaml: the file does not exist: name the right one with --config',
    ],
  ])('%j ends with %i', async (argv, code, text) => {
    expect(await stage.run(argv)).toMatchObject({ code, stderr: expect.stringContaining(text) })
  })

  it('needs a file, and one that nobody else may write', async () => {
    expect(await stage.run(['list'], { env: { III_CONFIG: '' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say --config FILE'),
    })
    const shared = await stage.write('shared.yaml', '{}', 0o666)
    expect(await stage.run(['list', '--config', shared])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('chmod go-w it'),
    })
  })
})

describe('import', () => {
  it('prints YAML, says what it left out, and needs neither file nor engine', async () => {
    const file = await stage.write(
      'mcp.json',
      '{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "hunter2"}}, "b": {"url": "https://x"}}}',
    )
    const { code, stdout, stderr } = await stage.run(['import', file], {
      env: { III_CONFIG: '', III_URL: 'ws://127.0.0.1:9' },
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^# Taken over from mcp.json\n/)
    expect(stdout + stderr).not.toContain('hunter2')
    expect(stderr).toMatch(
      /^left out: b: servers.b.url: .*\nservers.a.env.set.API_KEY: what the file has here looks like a secret/,
    )
    const forged = await stage.write('forged.json', '{"mcpServers": {"b\\nleft out: c": {"command": 5}}}')
    expect((await stage.run(['import', forged])).stderr).toMatch(/^left out: b .*\n$/)
    await stage.write('good.json', '{"mcpServers": {"a": {"command": "x"}}}')
    expect(await stage.json(['import', `${stage.folder}/good.json`])).toEqual({
      servers: { a: { command: 'x' } },
      left_out: [],
      refused: [],
    })
    expect((await stage.run(['import', '/nowhere.json'])).code).toBe(3)
    expect(await stage.run(['import', await stage.write('broken.json', '{')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 1: it is no JSON'),
    })
  })
})
