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
    ['a = 1\nb = \n', /^line 2: /],
    ['a = 1\na = 2\n', /^line 2: .*already defined/],
    ['mcp_servers = 1\n', /'mcp_servers' is no table/],
    ['[mcp_servers.iii]\nurl = "https://x/mcp"\n', /reached by its url/],
    ['mcp_servers = { a = { command = "a" } }\n', /^it cannot be changed without harm/],
  ])('%j is left alone', (text, problem) => {
    expect(addServer(text, target(), BLOCK).problem).toMatch(problem)
  })
})
