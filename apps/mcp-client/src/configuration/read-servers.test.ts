import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readServers } from './read-servers.ts'

const folder = '/srv/mcp'
const read = (yaml: string) => readServers(parse(yaml), { folder })
const readOne = (yaml: string, name = 'github') => {
  const [entry, ...others] = read(`${name}:\n${yaml.replace(/^/gm, '  ')}`)
  expect(others).toEqual([])
  return entry ?? { name: 'nothing', problems: [], keepsLastGood: false }
}
/** What is said of one server. */
const complain = (yaml: string, name?: string) => {
  const entry = readOne(yaml, name)
  return ('config' in entry ? entry.warnings : entry.problems).map(({ message }) => message)
}

const EXAMPLE = `
github:
  command: github-mcp-server
  args: [stdio]
  cwd: ./servers
  trust: unsandboxed
  env:
    inherit: [HTTPS_PROXY]
    set:
      LOG_LEVEL: { value: info }
      GITHUB_TOKEN: { env: GH_TOKEN }
      OTHER_TOKEN: { file: ./gh-token }
  tools: { allow: ['*'], deny: ['drop_*'] }
  expose: true
  tier: internal
  annotations: stricter
  timeouts: { start_ms: 1000, call_ms: 60000, list_ms: 15000, stop_ms: 2000 }
  concurrency: { calls: 8, waiting: 32, wait_ms: 10000 }
  limits: { message_bytes: 8388608, result_bytes: 1048576, tools: 256 }
  changed_tools: quarantine
  operations: false
`

describe('an entry of a server', () => {
  it('is read with all that it says', () => {
    expect(read(EXAMPLE)).toEqual([
      {
        name: 'github',
        warnings: [],
        config: {
          name: 'github',
          command: 'github-mcp-server',
          args: ['stdio'],
          cwd: '/srv/mcp/servers',
          isTrusted: true,
          isDisabled: false,
          environment: {
            inherit: ['HTTPS_PROXY'],
            set: new Map<string, object>([
              ['LOG_LEVEL', { kind: 'value', value: 'info' }],
              ['GITHUB_TOKEN', { kind: 'env', name: 'GH_TOKEN' }],
              ['OTHER_TOKEN', { kind: 'file', path: '/srv/mcp/gh-token' }],
            ]),
          },
          tools: { allow: ['*'], deny: ['drop_*'] },
          expose: true,
          tier: 'internal',
          annotations: 'stricter',
          timeouts: { startMs: 1_000, callMs: 60_000, listMs: 15_000, stopMs: 2_000 },
          concurrency: { calls: 8, waiting: 32, waitMs: 10_000 },
          limits: { messageBytes: 8_388_608, resultBytes: 1_048_576, tools: 256 },
          changedTools: 'quarantine',
          operations: false,
        },
      },
    ])
  })

  it('needs a command alone, and is not trusted unless it says so', () => {
    const entry = readOne('command: ./server.js\ntools:\ntimeouts: { start_ms: }')
    expect(entry).toMatchObject({
      warnings: [],
      config: {
        command: '/srv/mcp/server.js',
        args: [],
        cwd: folder,
        isTrusted: false,
        isDisabled: false,
        environment: { inherit: [], set: new Map() },
        tools: { allow: ['*'], deny: [] },
        expose: undefined,
        tier: undefined,
        timeouts: { startMs: 30_000, callMs: 60_000, listMs: 15_000, stopMs: 2_000 },
        limits: { messageBytes: 8_388_608, resultBytes: 1_048_576, tools: 256 },
      },
    })
  })

  it.each([
    ['args: []', ['servers.github.command: is missing: name the program that is the server']],
    [
      'command: npx -y some-server --token=abc',
      [expect.stringMatching(/^servers.github.command: is a line for a shell.*\(command: npx\).*args: \[…\]$/)],
    ],
    ['command: [npx, -y]', ['servers.github.command: must be a string, not a list']],
    ['command: a | b', [expect.stringContaining('is a line for a shell')]],
    ['command: ~/bin/server', [expect.stringContaining("begins with '~'")]],
    ['command: x\nargs: [--port, 8080]', ['servers.github.args[1]: must be a string, not a number: put it in quotes']],
    ['command: x\nargs: stdio', ['servers.github.args: must be a list, not a string']],
    ['command: x\ntrust: true', ['servers.github.trust: must be "unsandboxed"']],
    ['command: x\ntrust: unsandboxd', ['servers.github.trust: must be "unsandboxed"; did you mean \'unsandboxed\'?']],
    [
      'command: x\nannotations: as_is',
      ['servers.github.annotations: must be one of "stricter", "as-is", "none"; did you mean \'as-is\'?'],
    ],
    [
      'command: x\ntimeouts: { call_ms: 5 }',
      ['servers.github.timeouts.call_ms: must be a whole number of milliseconds, from 100 to 3600000'],
    ],
    [
      'command: x\nlimits: { tools: many, result_bytes: 1.5 }',
      [
        'servers.github.limits.result_bytes: must be a whole number of bytes, from 1024 to 16777216',
        'servers.github.limits.tools: must be a whole number of tools, from 1 to 10000',
      ],
    ],
    ['command: x\nexpose: maybe', ['servers.github.expose: must be true or false, not a string']],
    ['command: x\ntools: { allow: }', ['servers.github.tools.allow: must be a list, not null']],
    ['url: https://example.com/mcp', [expect.stringMatching(/^servers.github.url: only local servers over stdio/)]],
    ['type: http\ncommand: x', [expect.stringMatching(/^servers.github.type: only local servers over stdio/)]],
    ['type: stdio\ncommand: x', []],
    ['[]', [expect.stringMatching(/^servers.github: must be settings, of which command is the least/)]],
    ['', [expect.stringMatching(/^servers.github: is empty; it must be settings/)]],
    ['some-server', [expect.stringMatching(/^servers.github: must be settings/)]],
  ])('%j is told what is wrong', (yaml, texts) => {
    expect(complain(yaml)).toEqual(texts)
  })

  it('is told all that is wrong at once, and each by its place', () => {
    const entry = readOne(
      'command: 5\ncwd: ""\nenv: { inherit: [A-B], set: { 1X: { value: a } } }\nconcurrency: { calls: 0 }',
    )
    expect('problems' in entry && entry.problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['malformed', 'servers.github.command'],
      ['malformed', 'servers.github.cwd'],
      ['malformed', 'servers.github.env.inherit[0]'],
      ['malformed', 'servers.github.env.set.1X'],
      ['malformed', 'servers.github.concurrency.calls'],
    ])
  })

  it('is told the key that was meant, where it lacks one', () => {
    const [entry] = readServers({ demo: { comand: 'x' } }, { folder: '/srv' })
    expect(entry).toMatchObject({
      problems: [
        { code: 'unknown_key', message: "servers.demo.comand: is a key that nobody knows; did you mean 'command'?" },
        { code: 'malformed', subject: 'servers.demo.command' },
      ],
    })
  })

  it('costs nobody else anything', () => {
    const entries = read('a: { command: x }\nb: nonsense\nc: { command: y }')
    expect(entries.map((entry) => [entry.name, 'config' in entry])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ])
  })
})

describe('a key that nobody knows', () => {
  it.each([
    ['timeout: 5', "servers.github.timeout: is a key that nobody knows; did you mean 'timeouts'?"],
    ['timeouts: { call: 5 }', "servers.github.timeouts.call: is a key that nobody knows; did you mean 'call_ms'?"],
    ['description: mine', 'servers.github.description: is a key that nobody knows'],
  ])('is named (%s)', (yaml, text) => {
    const entry = readOne(`command: x\n${yaml}`)
    expect(entry).toMatchObject({ config: {}, warnings: [{ code: 'unknown_key', message: text }] })
  })

  it.each([
    ['env: { TOKEN: abc }', "servers.github.env.TOKEN: is a key that nobody knows; did you mean 'set.TOKEN'?"],
    ['env: { sets: {} }', "servers.github.env.sets: is a key that nobody knows; did you mean 'set'?"],
    ['tools: { denys: [a] }', "servers.github.tools.denys: is a key that nobody knows; did you mean 'deny'?"],
    ['tool: { deny: [a] }', "servers.github.tool: is a key that nobody knows; did you mean 'tools'?"],
    ['trusted: false', "servers.github.trusted: is a key that nobody knows; did you mean 'trust'?"],
    ['exposed: false', "servers.github.exposed: is a key that nobody knows; did you mean 'expose'?"],
    [
      'changed_tool: quarantine',
      "servers.github.changed_tool: is a key that nobody knows; did you mean 'changed_tools'?",
    ],
    ['enabled: false', "servers.github.enabled: is a key that nobody knows; did you mean 'disabled'?"],
    ['excludeTools: [a]', "servers.github.excludeTools: is a key that nobody knows; did you mean 'tools'?"],
  ])('is a problem where a restriction may have been meant (%s)', (yaml, text) => {
    const entry = readOne(`command: x\n${yaml}`)
    expect(entry).toMatchObject({ problems: [{ code: 'malformed', message: text }] })
  })
})

describe('servers', () => {
  it('are at most so many', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`s${at}`, { command: 'x' }]))
    const malformed = readServers(many, { folder }).filter((entry) => 'problems' in entry)
    expect(malformed.map(({ name }) => name)).toEqual(['s128', 's129'])
  })

  it('are whatever is written there, and reading them never throws', () => {
    const key = fc.oneof(
      fc.constantFrom('command', 'args', 'env', 'set', 'tools', 'trust', 'url', 'a', '__proto__'),
      fc.string(),
    )
    const entry = fc.oneof(
      fc.anything({ key, maxDepth: 4 }),
      fc.record({ command: fc.string(), env: fc.object({ key }) }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, entry)), (raw) => {
        for (const one of readServers(raw, { folder })) {
          const told = 'config' in one ? one.warnings : one.problems
          expect('config' in one || told.length > 0).toBe(true)
          for (const { message } of told) expect(message.length).toBeLessThan(2_000)
        }
      }),
    )
  })
})
