import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import type { ServerBlock } from './block.ts'
import { CLIENTS, type Client } from './clients.ts'
import { addServer, removeServer } from './edit.ts'
import type { EntryTarget } from './entry-place.ts'

function clientCalled(name: string): Client {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client === undefined) throw new Error(`no client ${name}`)
  return client
}

const [cursor, desktop, vscode] = [clientCalled('cursor'), clientCalled('claude-desktop'), clientCalled('vscode')]
const BLOCK = { command: '/usr/bin/node', args: ['/x/iii-mcp.js', '--tier', 'ops'], env: { PATH: '/usr/bin' } }

function targetIn(client: Client, force = false): EntryTarget {
  return { client, name: 'iii', script: '/x/mcp', force }
}

function add(text: string, client = cursor, block: ServerBlock = BLOCK): string {
  const edit = addServer(text, targetIn(client), block)
  if (edit.problem !== undefined) throw new Error(edit.problem)
  return edit.text
}

function remove(text: string, client = cursor): string {
  const edit = removeServer(text, targetIn(client))
  if (edit.problem !== undefined) throw new Error(edit.problem)
  return edit.text
}

const toValue = (text: string): unknown => parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })

describe('a server', () => {
  it.each(['', ' \n', '{}', '{\n}\n', '{"mcpServers":{}}', '\uFEFF{}'])('is put into %j', (text) => {
    const after = add(text)
    expect(toValue(after)).toEqual({ mcpServers: { iii: BLOCK } })
    expect(after.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
  })

  it('is put between what is there, in its indentation and line ends', () => {
    const text = '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "a" } // why\r\n\t}\r\n}\r\n'
    const after = add(text)
    expect(toValue(after)).toEqual({ mcpServers: { a: { command: 'a' }, iii: BLOCK } })
    const [first, second] = after.split('\r\n\t\t"iii": {\r\n\t\t\t"command": ')
    expect(first).toBe(`${text.slice(0, text.indexOf(' // why'))}, // why`)
    expect(second?.endsWith('\r\n\t\t}\r\n\t}\r\n}\r\n')).toBe(true)
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it.each([
    ['{}', '{\n  "mcpServers": {\n    "iii": {\n      "command": "n",\n      "args": []\n    }\n  }\n}'],
    ['{"mcpServers": {"a": {}}}', '{"mcpServers": {"a": {}, "iii": { "command": "n", "args": [] }}}'],
    ['{"mcpServers": {"a": {},}}', '{"mcpServers": {"a": {}, "iii": { "command": "n", "args": [] },}}'],
    ['{ // x\n}', '{ // x\n  "mcpServers": {\n    "iii": {\n      "command": "n",\n      "args": []\n    }\n  }\n}'],
    ['{\n "a": 1 }', '{\n "a": 1,\n "mcpServers": {\n  "iii": {\n   "command": "n",\n   "args": []\n  }\n }\n}'],
    [
      '{\n "mcpServers": {} // x\n}',
      '{\n "mcpServers": {\n  "iii": {\n   "command": "n",\n   "args": []\n  }\n } // x\n}',
    ],
  ])('makes of %j', (text, after) => {
    expect(add(text, cursor, { command: 'n', args: [] })).toBe(after)
  })

  it('that is there in the same words leaves the text alone', () => {
    const text = add('{ "x": 1, /* y */ "mcpServers": { } }')
    expect(add(text)).toBe(text)
    const moreThere = text.replace('"command"', '"disabled": true, "command"')
    expect(add(moreThere)).toBe(moreThere)
  })

  it('that is there in other words goes as a whole: nothing of it stays under the new command', () => {
    const text =
      '{"mcpServers":{"iii":{"command":"node","args":["/old/bin/iii-mcp.js"],"env":{"A":"1","PATH":"p"},"disabled":true}}}'
    expect(toValue(add(text))).toEqual({ mcpServers: { iii: BLOCK } })
    expect(addServer(text, targetIn(cursor), BLOCK).difference).toEqual([
      '- "command": "node"',
      '- "args": ["/old/bin/iii-mcp.js"]',
      '- "env": {"A":"<secret>","PATH":"<secret>"}',
      '- "disabled": true',
      '+ "command": "/usr/bin/node"',
      '+ "args": ["/x/iii-mcp.js","--tier","ops"]',
      '+ "env": {"PATH":"<secret>"}',
    ])
  })

  it.each(['{}', '{"type":"stdio"}'])('is put where nobody is yet: %s', (entry) => {
    expect(add(`{"servers":{"iii":${entry}}}`, vscode)).toContain('"command": "/usr/bin/node"')
  })

  it('goes below the key of the client', () => {
    expect(toValue(add('{"inputs":[]}', vscode))).toEqual({ inputs: [], servers: { iii: BLOCK } })
  })
})

describe('a server that goes', () => {
  it.each([
    ['{"mcpServers": { // a\n"iii": {} }}', '{"mcpServers": { // a\n }}'],
    ['{"mcpServers": {"a": 1, // a\n  "iii": {} // b\n}}', '{"mcpServers": {"a": 1 // a\n // b\n}}'],
    ['{"mcpServers": {"iii": {}, "a": 1}}', '{"mcpServers": { "a": 1}}'],
    ['{"mcpServers": {\n  "iii": {},\n  "a": 1\n}}', '{"mcpServers": {\n  "a": 1\n}}'],
    ['{"mcpServers": {"a": 1}}', '{"mcpServers": {"a": 1}}'],
    ['{}', '{}'],
  ])('leaves of %j', (text, rest) => {
    expect(remove(text)).toBe(rest)
  })
})

describe('what cannot be changed safely is refused', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3: a comma is missing'],
    ['{\n  "mcpServers": {\n', 'line 3: a closing } is missing'],
    ['{"a": }', 'line 1: a value is missing'],
    ['[]', 'line 1: the file is no object'],
    ['"mcpServers"', 'line 1: the file is no object'],
    ['{\n"mcpServers": []}', "line 2: 'mcpServers' is no object"],
    ['{\n"mcpServers": {\n"iii": 5}}', "line 3: 'iii' below 'mcpServers' is no object"],
    ['{"mcpServers": {},\n"mcpServers": {}}', "line 2: 'mcpServers' stands there twice"],
    ['{"mcpServers": {"iii": {},\n"iii": {}}}', "line 2: 'iii' stands there twice"],
    ['{"mcpServers": {"iii": {"url": "http://x/mcp"}}}', 'reached by its url'],
    [
      '{"mcpServers": {\n"iii": {"command": "docker"}}}',
      "line 2: 'iii' below 'mcpServers' is another server, started with docker",
    ],
    ['{"mcpServers": {"iii": {"command": {"path": "x"}}}}', 'is another server, started with a command of its own'],
    [
      '{"mcpServers": {"iii": {"source": "extension", "settings": {"token": "1"}}}}',
      'is another server, started by neither command nor address',
    ],
    ['{"mcpServers": {"iii": {"env": {"TOKEN": "1"}}}}', 'started by neither command nor address'],
    ['{"a": "x', 'line 1: a text without its closing quote'],
    ['{} {}', 'line 1: there is more behind the end'],
  ])('%j', (text, problem) => {
    expect(addServer(text, targetIn(cursor), BLOCK).problem).toContain(problem)
  })

  it('what this client does not read, though others do', () => {
    const commented = '{\n  // mine\n  "mcpServers": {}\n}'
    expect(addServer(commented, targetIn(cursor), BLOCK).problem).toBeUndefined()
    expect(addServer(commented, targetIn(desktop), BLOCK).problem).toContain('line 2: a comment')
    expect(addServer('{\n"mcpServers": {},\n}', targetIn(cursor), BLOCK).problem).toBeUndefined()
    expect(addServer('{\n"mcpServers": {},\n}', targetIn(desktop), BLOCK).problem).toMatch(/^line [23]: /)
  })
})

describe('another server under the name', () => {
  const foreign = '{"mcpServers": {"iii": {"command": "docker", "env": {"TOKEN": "1"}, "disabled": true}, "b": {}}}'

  it.each(CLIENTS.map((client) => [client.name, client] as const))(
    'is left alone by install, and the difference is told: %s',
    (_, client) => {
      const toml = '[mcp_servers.b]\n[mcp_servers.iii]\ncommand = "docker"\nenv = { TOKEN = "1" }\ndisabled = true\n'
      const text = client.format === 'toml' ? toml : foreign.replace('mcpServers', client.key)
      const theirs = ['- "command": "docker"', '- "env": {"TOKEN":"<secret>"}', '- "disabled": true']
      const problem = expect.stringContaining('started with docker')
      expect(addServer(text, targetIn(client), { ...client.extras, ...BLOCK })).toMatchObject({
        problem,
        advice: expect.stringContaining('choose another --name, or put this one in its place with --force'),
        difference: expect.arrayContaining([...theirs, '+ "command": "/usr/bin/node"', '+ "env": {"PATH":"<secret>"}']),
      })
      expect(removeServer(text, targetIn(client))).toMatchObject({ problem, difference: theirs })
    },
  )

  it.each([
    foreign,
    foreign.replace('"command": "docker"', '"url": "http://x"'),
    foreign.replace('"command": "docker"', '"source": "extension"'),
    '{"mcpServers": {"iii": 5, "b": {}}}',
  ])('goes as a whole when it is told to: %s', (text) => {
    const forced = targetIn(cursor, true)
    const put = addServer(text, forced, BLOCK)
    expect(put.problem === undefined ? toValue(put.text) : put.problem).toEqual({ mcpServers: { iii: BLOCK, b: {} } })
    const out = removeServer(text, forced)
    expect(out.problem === undefined ? toValue(out.text) : out.problem).toEqual({ mcpServers: { b: {} } })
  })
})

const isFree = (taken: string) => (name: string) => name !== taken && name !== '__proto__'
const key = fc.oneof(fc.stringMatching(/^[a-z]{1,6}$/), fc.string({ unit: 'grapheme', maxLength: 8 }))
const servers = fc.dictionary(
  key.filter(isFree('iii')),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ command: 'x', args: ['y'] })),
  { maxKeys: 4, noNullPrototype: true },
)
const settings = fc.dictionary(key.filter(isFree('mcpServers')), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
  noNullPrototype: true,
})

/** A configuration as people write it: with tabs, Windows lines, commas before a bracket, and a comment behind every line. */
const document = fc
  .record({
    settings,
    servers: fc.option(servers),
    at: fc.nat(),
    indent: fc.constantFrom('', '  ', '\t', '    '),
    eol: fc.constantFrom('\n', '\r\n'),
    toComment: fc.constantFrom(
      () => '',
      (line: number) => `// keep ${line};`,
      (line: number) => `/* keep ${line}; */`,
    ),
    hasCommas: fc.boolean(),
    bom: fc.constantFrom('', '\uFEFF'),
  })
  .map(({ settings: others, servers: own, at, indent, eol, toComment, hasCommas, bom }) => {
    const entries: [string, unknown][] = Object.entries(others)
    if (own !== null) entries.splice(at % (entries.length + 1), 0, ['mcpServers', own])
    const plain = JSON.stringify(Object.fromEntries(entries), null, indent)
    const value = JSON.parse(plain) as Record<string, unknown>
    const lines = plain.split('\n')
    const commented = lines.map((line, number) => {
      const isLast = /^\s*[}\]]/.test(lines[number + 1] ?? '') && !/[{[,]$/.test(line)
      return lines.length === 1 ? line : `${line}${isLast && hasCommas ? ',' : ''} ${toComment(number)}`
    })
    const comments = lines.length === 1 ? [] : lines.map((_, number) => toComment(number))
    return { value, text: bom + commented.join(eol), comments }
  })
  // A name that objects of JavaScript cannot hold.
  .filter(({ text }) => !text.includes('__proto__'))

describe('whatever stands in the file', () => {
  it('stays when a server comes, changes nothing when it comes again, and stays when it goes', () => {
    fc.assert(
      fc.property(document, ({ value, text, comments }) => {
        const after = add(text)
        const { mcpServers: before = {}, ...rest } = value
        expect(toValue(after)).toEqual({ ...rest, mcpServers: { ...(before as object), iii: BLOCK } })
        expect(comments.filter((comment) => !after.includes(comment))).toEqual([])
        expect(add(after)).toBe(after)
        const gone = remove(after)
        if (Object.keys(before as object).length > 0) expect(gone).toBe(text)
        expect(toValue(gone)).toEqual({ ...rest, mcpServers: before })
        expect(comments.filter((comment) => !gone.includes(comment))).toEqual([])
        expect(remove(gone)).toBe(gone)
      }),
      { numRuns: 300 },
    )
  })

  it('is refused or read, and never makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,/*\\ \n1ainstruefl'), maxLength: 40 }), (text) => {
        for (const client of [cursor, desktop]) {
          const edit = addServer(text, targetIn(client), BLOCK)
          if (edit.problem === undefined) expect(toValue(edit.text)).toMatchObject({ mcpServers: { iii: BLOCK } })
        }
      }),
      { numRuns: 500 },
    )
  })
})
