import { parse } from '@decimalturn/toml-patch'
import { describe, expect, it } from 'vitest'
import { CLIENTS } from './clients.ts'
import { addServer, removeServer } from './edit.ts'
import type { EntryTarget } from './entry-place.ts'

const codex = CLIENTS.find(({ name }) => name === 'codex')
const BLOCK = { command: '/usr/bin/node', args: ['/x/iii-mcp.js'], env: { PATH: '/usr/bin' } }

function target(force = false): EntryTarget {
  if (codex === undefined) throw new Error('no client codex')
  return { client: codex, name: 'iii', script: '/x/mcp', force }
}

function textOf(edit: ReturnType<typeof addServer>): string {
  if (edit.problem !== undefined) throw new Error(edit.problem)
  return edit.text
}

const OURS = '[mcp_servers.iii]\ncommand = "node"\nargs = [ "/old/bin/iii-mcp.js" ]\n'

describe('a configuration in TOML', () => {
  it.each([
    '',
    '# mine\nmodel = "o" # why\nwhen = 2026-01-01T00:00:00Z\n',
    '[mcp_servers]\n',
    '[mcp_servers.a]\ncommand = "a" # keep\n\n# before\n[mcp_servers.a.env]\nTOKEN = "1"\n\n[profiles.fast]\nmodel = "x"\n',
    'mcp_servers.a.command = "a"\n',
    'model = "o"\r\n[mcp_servers.a]\r\ncommand = "a"\r\n',
  ])('%# has the server behind what was there, and is as it was without it', (text) => {
    const after = textOf(addServer(text, target(), BLOCK))
    expect(after.startsWith(text.trimEnd())).toBe(true)
    const { mcp_servers: servers } = parse(after) as { mcp_servers: Record<string, unknown> }
    expect(servers['iii']).toEqual(BLOCK)
    expect(textOf(addServer(after, target(), BLOCK))).toBe(after)
    expect(after.includes('\r\n')).toBe(text.includes('\r\n'))
    expect(parse(textOf(removeServer(after, target())))).toEqual(parse(text))
    expect(textOf(removeServer(after, target())).trimEnd()).toContain(text.trimEnd())
  })

  it.each([
    OURS,
    `${OURS}\n[mcp_servers.iii.env]\nOLD = "1"\n\n[b]\nc = 1 # keep\n`,
    '[mcp_servers]\niii = { command = "npx", args = [ "@iii/mcp" ] } # old\nb = { command = "b" }\n',
    'mcp_servers.iii.command = "npx"\nmcp_servers.iii.args = ["@iii/mcp"]\n',
  ])('%# has nothing of an older entry', (text) => {
    const after = parse(textOf(addServer(text, target(), BLOCK))) as { mcp_servers: Record<string, unknown> }
    const { mcp_servers: before, ...rest } = parse(text) as { mcp_servers: Record<string, unknown> }
    expect(after).toEqual({ ...rest, mcp_servers: { ...before, iii: BLOCK } })
  })

  it.each([
    ['a = 1\n\n', `${OURS}\n`, '# about b\n[b]\nc = 1\n'],
    [
      'a = 1\n\n',
      `${OURS}\n[mcp_servers.iii.env]\nOLD = "1" # old\n# of it\nB = "2"\n\n`,
      '# about b\n\n# more\n[b]\n',
    ],
    ['# of mine\r\n\r\n', `${OURS.replaceAll('\n', '\r\n')}\r\n`, '# servers\r\n[mcp_servers.b]\r\ncommand = "b"\r\n'],
    ['a = 1\n', OURS, '# model = "o"\n'],
    ['[a]\n# of a\n\n', `[ "mcp_servers" . 'iii' ]\ncommand = "npx"\nargs = [\n  "@iii/mcp", # x\n]\n\n`, '[[b]]\n'],
    ['\uFEFFa = 1\n', `\n${OURS}`, ''],
    ['a = 1\n[b]\n', `\n${OURS}`, ''],
  ])('%# loses nothing that is told before and behind the server', (before, entry, behind) => {
    expect(textOf(removeServer(`${before}${entry}${behind}`, target()))).toBe(`${before}${behind}`)
    const after = textOf(addServer(`${before}${entry}${behind}`, target(), BLOCK))
    expect(after.startsWith(`${before}${behind}`.trimEnd())).toBe(true)
    expect(textOf(removeServer(after, target())).trimEnd()).toBe(`${before}${behind}`.trimEnd())
  })

  it('that only looks as if it had tables is changed by what it says', () => {
    const text = `note = '''\n[mcp_servers.iii]\n'''\n\n${OURS}`
    expect(parse(textOf(removeServer(text, target())))).toEqual({ note: '[mcp_servers.iii]\n' })
  })

  it('has a server by any name, and no other than those in it', () => {
    const named = { ...target(), name: 'constructor' }
    const after = textOf(addServer('', named, BLOCK))
    expect(parse(after)).toEqual({ mcp_servers: { constructor: BLOCK } })
    expect(textOf(removeServer(after, named)).trim()).toBe('')
  })

  it.each([
    ['a = 1\nb = \n', /^line 2: /],
    ['a = 1\na = 2\n', /^line 2: .*already defined/],
    ['mcp_servers = 1\n', /'mcp_servers' is no table/],
    ['[mcp_servers.iii]\nurl = "https://x/mcp"\n', /reached by its url/],
    ['mcp_servers = { a = { command = "a" } }\n', /^it cannot be changed without harm/],
  ])('%j is left alone', (text, problem) => {
    expect(addServer(text, target(), BLOCK).problem).toMatch(problem)
  })
})
