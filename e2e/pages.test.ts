import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { BRIDGE_LIMITS } from '../apps/mcp-bridge/src/mcp/limits.ts'
import { CLIENTS } from '../apps/mcp-bridge/src/operator/install/clients.ts'
import { runCommand } from '../apps/mcp-bridge/src/testing/command.ts'
import { readServers } from '../apps/mcp-client/src/configuration/read-servers.ts'
import { CODES } from '../apps/mcp-client/src/diagnostics/diagnostic.ts'
import { SERVER_STATES } from '../apps/mcp-client/src/servers/server-status.ts'
import { type ChildOptions, runToEnd, startChild } from './child.ts'
import { openEngine } from './engine.ts'
import { connectToEngine } from './facts.ts'
import {
  listPages,
  readAnchors,
  readCodeBlock,
  readCodeBlocks,
  readInline,
  readLinks,
  readPage,
  readRows,
} from './pages.ts'
import { bridgeProgram, engineProgram, mcpClientProgram, skillsProgram } from './programs.ts'
import { createTempFolder } from './stack.ts'
import { until } from './until.ts'

const ROOT = new URL('../', import.meta.url)
const install = readPage('docs/install.md')
const operating = readPage('docs/operating.md')

describe('every page', () => {
  it.each(listPages())('%s leads to pages and headings that are there', (path) => {
    const own = readPage(path)
    for (const link of readLinks(own).filter((target) => !/^[a-z]+:/.test(target))) {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      expect(existsSync(new URL(target, ROOT)), link).toBe(true)
      if (anchor !== undefined) expect(readAnchors(readPage(target)), link).toContain(anchor)
    }
  })

  it('is found from the front page', () => {
    const linked = new Set(readLinks(readPage('README.md')))
    for (const path of listPages().filter((name) => name.startsWith('docs/'))) expect(linked).toContain(path)
  })

  it('gives our programs flags that they know', async () => {
    const pages = listPages().map(readPage)
    const commands = pages.flatMap((page) => [...readCodeBlocks(page).map(({ code }) => code), ...readInline(page)])
    for (const [said, program] of PROGRAMS) {
      const used = new Set(commands.flatMap((text) => [...text.matchAll(said)].flatMap(([line]) => readFlags(line))))
      expect(used.size, program.name).toBeGreaterThan(0)
      const { stdout } = await runToEnd({ ...program, args: [...(program.args ?? []), '--help'] })
      const known = new Set(readFlags(stdout))
      expect([...used].filter((flag) => !known.has(flag.replace(/^--no-(?=expose-all|require-expose)/, '--')))).toEqual(
        [],
      )
    }
  })
})

describe('the page of symptoms', () => {
  it('has texts that our programs say', () => {
    const page = readPage('docs/troubleshooting.md')
    const sections = ['In the client', 'Over HTTP', 'In a log']
    const texts = sections.flatMap((heading) => readRows(page, heading).flatMap(([seen = '']) => readInline(seen)))
    const sources = readSources()
    const pieces = texts
      .filter((text) => !OF_OTHERS.some((other) => text.includes(other)))
      .flatMap((text) => text.split(/…|'[^']*'|\d+(?: s\b)?/).map((piece) => piece.trim().replace(/[:;]$/, '')))
      .filter((piece) => piece.length > 8)
    expect(pieces.length).toBeGreaterThan(20)
    expect(pieces.filter((piece) => !sources.includes(piece))).toEqual([])
  })
})

describe('the page about installing', () => {
  it('begins with a table that leads to each way and each topic', () => {
    const [table = ''] = /^\|.*(?:\n\|.*)*/m.exec(install) ?? []
    const own = [...install.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => readAnchors(`# ${heading}`)[0])
    expect(readLinks(table)).toEqual(expect.arrayContaining(own.map((anchor) => `#${anchor}`)))
    const topics = ['behind-a-reverse-proxy', 'a-hardened-engine'].map((anchor) => `operating.md#${anchor}`)
    expect(readLinks(table)).toEqual(expect.arrayContaining([...topics, 'troubleshooting.md']))
  })

  it('names every client and its file', () => {
    const rows = readRows(install, 'Desktop clients').map((cells) => cells.join(' '))
    for (const { name, places } of CLIENTS) {
      const row = rows.find((text) => text.includes(`\`${name}\``)) ?? ''
      for (const place of Object.values(places)) {
        const file = name === 'vscode-insiders' ? 'Code - Insiders' : place.replace('Code - Insiders', 'Code')
        expect(row.replaceAll('`', '')).toContain(file)
      }
    }
  })

  it('shows the block that is written into a client', async () => {
    const shown = JSON.parse(readCodeBlock(install, 'json', '"mcpServers"')).mcpServers.iii
    const [command = ''] = readInline(install).filter((text) => /exec iii-mcp install claude-desktop/.test(text))
    const args = command.slice(command.indexOf('install')).split(' ')
    const { stdout } = await runCommand([...args, '--print'], { host: { script: '/home/ada/workers/mcp' } })
    const { iii } = JSON.parse(stdout).mcpServers
    expect(Object.keys(iii)).toEqual(Object.keys(shown))
    expect(iii.args.slice(1)).toEqual(shown.args.slice(1))
  })
})

describe('the page of a worker', () => {
  it.each([
    ['mcp', 'apps/mcp-bridge/README.md'],
    ['mcp-client', 'apps/mcp-client/README.md'],
    ['runs', 'apps/run-records/README.md'],
    ['skills', 'apps/skills-registry/README.md'],
  ])('%s has what a registry looks for', (name, path) => {
    const page = readPage(path)
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(headings.filter((heading = '') => CONTRACT.includes(heading))).toEqual(CONTRACT)
    expect(readCodeBlock(page, 'sh', 'iii worker add')).toBe(`iii worker add ${name}\n`)
  })
})

describe('the pages about MCP servers', () => {
  const page = readPage('docs/mcp-servers.md')
  const reference = readPage('docs/mcp-servers-reference.md')

  it.each([
    ['the way to begin', page],
    ['the reference', reference],
  ])('%s opens with an entry that the worker takes, and trusts', (_, text) => {
    const { servers } = parse(readCodeBlock(text, 'yaml', 'servers:')) as { servers: object }
    const [entry] = readServers(servers, { folder: '/srv' })
    expect(entry).toMatchObject({ name: 'github', config: { isTrusted: true }, warnings: [] })
  })

  it('says before anything else of what a server can do that nothing holds it in', () => {
    const [, trust = ''] = page.split(/^## Trust$/m)
    expect(trust.trim()).toMatch(/^\*\*A server runs with the rights of this worker, and nothing holds it in\.\*\*/)
    expect(readPage('apps/mcp-client/README.md')).toMatch(/rights of this worker: nothing sandboxes it/)
  })

  it('has a row for each code, with what to do', () => {
    const rows = readRows(page, 'What can be wrong').slice(2)
    expect(rows.map(([code = '']) => code.replaceAll('`', ''))).toEqual([...CODES])
    for (const [code, why = '', advice = ''] of rows) {
      expect(Math.min(why.length, advice.length), code).toBeGreaterThan(10)
    }
  })

  it('has a row for each command and state', () => {
    const rows = readRows(page, 'Commands').map(([command = '']) => command)
    for (const word of ['list', 'show', 'tools', 'approve', 'import', 'check', 'doctor', 'explain']) {
      expect(
        rows.filter((row) => row.startsWith(`\`iii-mcp-client ${word}`)),
        word,
      ).toHaveLength(1)
    }
    const states = readRows(reference, 'While it runs').flatMap(([state = '']) => readInline(state))
    expect(states.filter((state) => SERVER_STATES.some((known) => known === state)).sort()).toEqual(
      [...SERVER_STATES].sort(),
    )
  })
})

describe('the page about operating', () => {
  it('has proxies that let through what the bridge takes, for as long as it takes', () => {
    const nginx = readCodeBlock(operating, 'nginx', 'proxy_pass')
    const caddy = readCodeBlock(operating, 'caddy', 'reverse_proxy')
    expect(Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]) * 2 ** 20).toBe(BRIDGE_LIMITS.bodyBytes)
    expect(Number(/max_size (\d+)MiB/.exec(caddy)?.[1]) * 2 ** 20).toBe(BRIDGE_LIMITS.bodyBytes)
    const patienceMs = Number(/proxy_read_timeout (\d+)s;/.exec(nginx)?.[1]) * 1000
    expect(patienceMs).toBeGreaterThan(2 * Math.max(BRIDGE_LIMITS.keepAliveMs, BRIDGE_LIMITS.replyMs))
    const hosts = [...operating.matchAll(/--allowed-hosts (\S+)$/gm)].map(([, host]) => host)
    expect(new Set(hosts)).toEqual(new Set(['mcp.example.com']))
    for (const sample of [nginx, caddy]) expect(sample).toContain('mcp.example.com')
  })

  it('has an access function that lets in who has a token, and takes registrations from nobody', async () => {
    await using engine = await openEngine(undefined)
    await using folder = await createTempFolder()
    await symlink(
      fileURLToPath(new URL('./node_modules', import.meta.url)),
      join(folder.path, 'node_modules'),
      'junction',
    )
    const entry = join(folder.path, 'access.mjs')
    await writeFile(entry, readCodeBlock(operating, 'js', 'access.mjs').replace('ws://127.0.0.1:49134', engine.url))
    const token = 'a'.repeat(32)
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
    const env = { ACCESS_TOKENS: token, NODE_OPTIONS: `--conditions=@iii/source --import ${tsx}` }
    await using _worker = startChild({ name: 'access', entry: pathToFileURL(entry), env, cwd: folder.path })
    await using control = connectToEngine(engine.url, 'docs')
    const check = (said: string) => {
      const authorization = `Basic ${Buffer.from(said).toString('base64')}`
      return control.trigger({ function_id: 'access::check', payload: { headers: { authorization } } })
    }
    const answer = await until(() => check(`desk:${token}`), { what: 'the access function' })
    expect(answer).toEqual({
      allow_function_registration: false,
      allow_trigger_type_registration: false,
      allowed_trigger_types: [],
    })
    for (const said of ['desk:', `desk:${token}a`, token]) await expect(check(said)).rejects.toThrow('unknown worker')
  })
})

/** Source: the registry's rules for README files. */
const CONTRACT = ['Install', 'Run', 'Quickstart', 'Configuration']

/** How commands read on pages: what is behind the name of the program, up to the end of the command. */
const PROGRAMS: readonly (readonly [RegExp, ChildOptions])[] = [
  ...['', 'explain', 'doctor', 'install']
    .map((word) => {
      const args = word === '' ? [] : [word]
      const said = word === '' ? '(?! +(?:explain|doctor|install)\\b)' : ` +${word}\\b`
      const pattern = new RegExp(`(?:\\biii-mcp(?!-)|@iii/mcp(?!-)(?:@latest)?)${said}[^\\n\`#]*`, 'g')
      return [pattern, { ...bridgeProgram(''), args }] as const
    })
    .filter(([, { args }]) => args?.[0] !== 'doctor'),
  [/(?:\biii-skills|@iii\/skills) +-[^\n`#]*/g, { ...skillsProgram(''), args: [] }],
  [/(?:\biii-mcp-client|@iii\/mcp-client) +-[^\n`#]*/g, { ...mcpClientProgram(''), args: [] }],
  [/\biii-mock-engine +-[^\n`#]*/g, { ...engineProgram({ enginePort: 0, httpPort: 0 }), args: [] }],
]

function readFlags(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)
}

/** What clients, proxies, Node and the engine say. */
const OF_OTHERS = [
  'Structured content does not match',
  'Invalid structured content returned',
  'spawn npx ENOENT',
  'Dynamic require of',
  'Streamable HTTP error',
  'client is closing',
  'MCP session with server terminated',
  'Unexpected status code',
  'Dynamic Client Registration rejected',
  'missing required client capability',
  'server returned 4xx for initialize POST',
  'Error handling notification',
  'Could not resolve type id',
  'ession terminated',
  'The MCP session expired',
  'AudioContent conversion',
  'Failed to parse server response',
  'nsupported content type',
  'Unsupported or missing type',
  'cannot import name',
  'None is not of type',
  'MCP HTTP Transport Error',
  'onUncaughtError',
  'NOT_FOUND',
  'rbac.expose_functions',
  'getBuiltinModule',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'exec: node: not found',
]

/** All that our programs may say. */
function readSources(): string {
  const folders = ['apps/mcp-bridge', 'apps/mcp-client', 'apps/skills-registry', 'packages/sdk', 'packages/protocol']
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(?:src|bin)\W.*\.[jt]s$/.test(name) && !name.includes('.test.'))
      .map((name) => `${folder}/${name}`),
  )
  return [...files, 'packages/packaging/src/script.ts']
    .map((file) => readFileSync(new URL(file, ROOT), 'utf8'))
    .join('\n')
}
