import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readServers } from '../configuration/read-servers.ts'
import { convertServers } from './conversion.ts'
import { formatImport } from './document.ts'
import { parseForeign } from './foreign-file.ts'

/** `${TEXT}` */
const expand = (text: string) => `$${'{'}${text}}`

function convert(file: object | string) {
  const read = parseForeign(typeof file === 'string' ? file : JSON.stringify(file))
  if ('problem' in read) throw new Error(read.problem)
  const found = convertServers(read)
  const yaml = formatImport(found, '.mcp.json')
  return { ...found, yaml, entries: (parse(yaml) as { servers: Record<string, unknown> }).servers }
}
const convertOne = (entry: object) => convert({ mcpServers: { github: entry } })

describe('a file of another program', () => {
  it.each([
    ['mcpServers', '{"mcpServers": {"a": {"command": "x"}}}'],
    ['VS Code', '{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}'],
    ['settings of VS Code, with comments', '\uFEFF// mine\n{"mcp": {"servers": {"a": {"command": "x", /* y */}}}}'],
  ])('is read (%s)', (_, text) => {
    expect(convert(text).entries).toEqual({ a: { command: 'x' } })
  })

  it('has servers of single projects, where Claude Code puts them', () => {
    const one = { command: 'x' }
    const projects = {
      '/home/me/shop': { mcpServers: { a: one, b: one } },
      '/home/me/blog': { mcpServers: {} },
      '/': 5,
    }
    const { entries, yaml } = convert({ mcpServers: { a: one }, projects })
    expect(entries).toEqual({ a: one, 'a-2': one, b: one })
    expect(yaml).toMatch(/# of the project \/home\/me\/shop\n {2}b:/)
    expect(convert({ projects }).entries).toEqual({ a: one, b: one })
  })

  it.each([
    ['{\n"mcpServers": ', 'line 2: it is no JSON'],
    ['[]', 'it has neither mcpServers nor servers, each a name with its settings'],
    ['{"servers": 5}', 'it has neither mcpServers nor servers, each a name with its settings'],
    ['['.repeat(200_000), 'it is nested too deeply'],
  ])('is not read (%#)', (text, problem) => {
    expect(parseForeign(text)).toEqual({ problem })
  })
})

describe('a server of another program', () => {
  it('becomes an entry that says the same, and never that it is trusted', () => {
    const { entries, yaml } = convertOne({
      command: 'npx',
      args: ['-y', 'x'],
      cwd: '/x',
      disabled: true,
      trust: 'unsandboxed',
    })
    expect(entries).toEqual({ github: { command: 'npx', args: ['-y', 'x'], cwd: '/x', disabled: true } })
    expect(yaml).toMatch(/^ {4}# to have it started, write here: trust: unsandboxed\. It then runs with all rights/m)
  })

  it.each<[object, object]>([
    [{ disabledTools: ['drop', 'wipe'], alwaysAllow: ['read'] }, { deny: ['drop', 'wipe'] }],
    [
      { includeTools: ['read'], excludeTools: ['drop'] },
      { allow: ['read'], deny: ['drop'] },
    ],
    [{ tools: ['*'], disabledTools: [], enabledTools: null }, { allow: ['*'] }],
    [{ includeTools: [] }, { allow: [] }],
    [{ tools: '*' }, { allow: ['*'] }],
  ])('has the tools that it had, and no other: %j', (written, tools) => {
    const { entries } = convertOne({ command: 'x', ...written })
    expect(entries).toEqual({ github: { command: 'x', tools } })
  })

  it('has its references, and never a secret', () => {
    const { entries, yaml, servers } = convert({
      inputs: [{ id: 'api key', description: 'The key of the service' }],
      servers: {
        a: {
          command: 'x',
          env: {
            A: expand('A_TOKEN'),
            B: expand('env:B_TOKEN'),
            C: expand('input:api key'),
            D: expand('D:-fallback'),
            E: `x${expand('E')}`,
            F: 'info',
            G: 5,
            GITHUB_TOKEN: 'hunter2',
            H: 'ghp_abcdefghijklmnop0123',
            TOKEN_FILE: '/run/token',
            I: null,
          },
        },
      },
    })
    expect(entries).toMatchObject({
      a: {
        env: {
          set: {
            A: { env: 'A_TOKEN' },
            B: { env: 'B_TOKEN' },
            C: { file: './api-key' },
            D: { env: 'D' },
            E: { env: 'E' },
            F: { value: 'info' },
            G: { value: '5' },
            GITHUB_TOKEN: { env: 'GITHUB_TOKEN' },
            H: { env: 'H' },
            TOKEN_FILE: { value: '/run/token' },
            I: { env: 'I' },
          },
        },
      },
    })
    expect(yaml).toMatch(/# write The key of the service into this file, and nothing else; then chmod 600 it\n +C:/)
    expect(yaml).toMatch(
      /# what the file has here looks like a secret and is not copied: set GITHUB_TOKEN .*\n +GITHUB_TOKEN:/,
    )
    expect(yaml).not.toMatch(/hunter2|ghp_/)
    expect([...(servers[0]?.variables ?? [])].filter(([, { isRefused }]) => isRefused).map(([name]) => name)).toEqual([
      'GITHUB_TOKEN',
      'H',
    ])
  })

  it.each<[object, RegExp]>([
    [{ url: 'https://example.com/mcp' }, /^servers.github.url: only local servers over stdio/],
    [{ type: 'sse', command: 'x' }, /^servers.github.type: only local servers over stdio/],
    [{ command: 'x', args: ['--token', 'hunter2'] }, /^args\[1\] looks like a secret/],
    [{ command: 'x', args: ['--api-key=hunter2'] }, /^args\[0\] looks like a secret/],
    [{ command: 'x', args: ['postgres://me:hunter2@db/x'] }, /^args\[0\] looks like a secret/],
    [{ command: 'npx -y x' }, /^servers.github.command: is a line for a shell/],
    [{ command: 'x', args: [expand('workspaceFolder')] }, /^servers.github.args\[0\]: .* is not expanded here/],
    [{ args: [] }, /^servers.github.command: /],
    [{ command: 'x', disabledTools: { drop: true } }, /^disabledTools: must be a list of names of tools$/],
    [[], /^it is no object$/],
  ])('is left out with the reason: %j', (entry, reason) => {
    const { servers, leftOut, yaml } = convertOne(entry)
    expect(servers).toEqual([])
    expect(leftOut).toEqual([{ name: 'github', reasons: [expect.stringMatching(reason)] }])
    expect(yaml).toMatch(/^# left out: github: /m)
    expect(yaml).not.toContain('hunter2')
  })

  it('gets a name that fits, which no other has, and a comment that says so', () => {
    const server = { command: 'x' }
    const { entries, yaml } = convert({
      mcpServers: {
        'My Server': server,
        my_server: server,
        state: server,
        [`a${'b'.repeat(40)}`]: server,
        [`a${'b'.repeat(50)}`]: server,
      },
    })
    expect(Object.keys(entries)).toEqual([
      'my-server',
      'my-server-2',
      'server-state',
      `a${'b'.repeat(31)}`,
      `a${'b'.repeat(29)}-2`,
    ])
    expect(yaml).toMatch(/# 'My Server' in the file it comes from\n {2}my-server:/)
  })

  it('keeps a name that fits, whatever servers before it have to be called', () => {
    const [spaced, other, fitting] = [{ command: 'spaced' }, { command: 'other' }, { command: 'fitting' }]
    const { entries } = convert({ mcpServers: { 'My Server': spaced, my_server: other, 'my-server': fitting } })
    expect(entries).toEqual({ 'my-server-2': spaced, 'my-server-3': other, 'my-server': fitting })
  })

  it('is not lost by a name that objects have a meaning for', () => {
    const file =
      '{"mcpServers": {"__proto__": {"command": "x", "env": {"__proto__": "1"}, "__proto__": 5}, "constructor": {"command": "y"}}}'
    expect(convert(file).yaml).toMatch(/# '__proto__' in the file it comes from\n(.*\n)+ {2}constructor:/)
  })

  it('says what is not taken over', () => {
    expect(convertOne({ command: 'x', autoApprove: ['*'], timeout: 5 }).yaml).toContain(
      '# not taken over: autoApprove, timeout\n',
    )
  })

  it('reads back to the same, whatever it was', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('yes', '1e3', '# x', 'a: b', '- x', expand('A'), '*', '|', '\n', '.'),
    )
    const entry = fc.oneof(
      fc.record(
        { command: text, args: fc.array(text), env: fc.dictionary(text, text), cwd: text },
        { requiredKeys: ['command'] },
      ),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(
        fc.dictionary(text, entry),
        fc.array(fc.record({ id: text, description: text })),
        (mcpServers, inputs) => {
          const { servers, entries } = convert({ mcpServers, inputs })
          expect(entries).toEqual(Object.fromEntries(servers.map((server) => [server.name, server.entry])))
          for (const read of readServers(entries, { folder: '/' })) {
            if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join())
            expect(read.config.isTrusted).toBe(false)
            // An argument such as '.' is taken over, and warned of when the file is read.
            expect(read.warnings.filter(({ code }) => code !== 'file_within_reach')).toEqual([])
          }
        },
      ),
    )
  })
})
