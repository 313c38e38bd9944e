import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CommandLine, readCommandLine } from './command-line.ts'
import { explainStrays, withEnvironment } from './environment.ts'
import type { AnyOptionTable } from './option-table.ts'

interface Options {
  strict: boolean
  limit: number
  prefixes: string[]
  scope: string
  mode: 'open' | 'strict'
  path: string
  once: boolean
  jobs: Record<string, { targets: string[] }>
}

const table = withEnvironment<Options>('III_SHOP', {
  strict: { flag: '--strict', yaml: 'be_strict', schema: z.boolean(), default: false, describe: '' },
  limit: { yaml: 'limit_ms', schema: z.int().min(1), default: 5, describe: '' },
  prefixes: { yaml: 'prefixes', schema: z.array(z.string()), default: [], describe: '' },
  scope: { yaml: 'scopes.orders', env: 'OLD_SCOPE', schema: z.string(), default: 'orders', describe: '' },
  mode: { yaml: 'mode', schema: z.enum(['open', 'strict']), default: 'open', describe: '' },
  path: { yaml: 'path', schema: z.string(), default: '/', describe: '' },
  once: { flag: '--once', schema: z.boolean(), default: false, describe: '' },
  jobs: {
    yaml: 'jobs',
    schema: z.record(z.string(), z.strictObject({ targets: z.array(z.string()) })),
    default: {},
    describe: '',
  },
}) as unknown as AnyOptionTable

function read(env: Record<string, string>, argv: string[] = []): CommandLine['own'] | string {
  const said = readCommandLine(argv, env, table)
  return 'problem' in said ? said.problem : said.own
}

/** Values by the option's name. */
function values(env: Record<string, string>, argv: string[] = []): unknown {
  const own = read(env, argv)
  return typeof own === 'string' ? own : Object.fromEntries([...own].map(([name, { value }]) => [name, value]))
}

describe('the environment', () => {
  it('has a variable for each key of the file, by its name', () => {
    const names = Object.values(table).map(({ env }) => env)
    expect(names).toEqual([
      ['III_SHOP_BE_STRICT'],
      ['III_SHOP_LIMIT_MS'],
      ['III_SHOP_PREFIXES'],
      ['III_SHOP_SCOPES_ORDERS', 'OLD_SCOPE'],
      ['III_SHOP_MODE'],
      ['III_SHOP_PATH'],
      [],
      ['III_SHOP_JOBS'],
    ])
  })

  it.each<[string, Record<string, string>, unknown]>([
    ['a switch', { III_SHOP_BE_STRICT: 'true' }, { strict: true }],
    ['a switch that is off', { III_SHOP_BE_STRICT: '0' }, { strict: false }],
    ['a number', { III_SHOP_LIMIT_MS: '70' }, { limit: 70 }],
    ['a list with commas', { III_SHOP_PREFIXES: 'a::, b::' }, { prefixes: ['a::', 'b::'] }],
    ['a list as JSON', { III_SHOP_PREFIXES: '["a::", "b,c"]' }, { prefixes: ['a::', 'b,c'] }],
    ['an empty list as JSON', { III_SHOP_PREFIXES: '[]' }, { prefixes: [] }],
    ['a text in brackets that is no JSON', { III_SHOP_PREFIXES: '[::1]:80' }, { prefixes: ['[::1]:80'] }],
    ['an object as JSON', { III_SHOP_JOBS: '{"a":{"targets":["b"]}}' }, { jobs: { a: { targets: ['b'] } } }],
    ['a place further down', { III_SHOP_SCOPES_ORDERS: 'team' }, { scope: 'team' }],
    ['the first of two', { III_SHOP_SCOPES_ORDERS: 'new', OLD_SCOPE: 'old' }, { scope: 'new' }],
    ['nothing that is empty', { III_SHOP_SCOPES_ORDERS: '', OLD_SCOPE: 'old' }, { scope: 'old' }],
  ])('is read for %s', (_, env, expected) => {
    expect(values(env)).toEqual(expected)
  })

  it('counts where no flag says anything', () => {
    expect(values({ III_SHOP_BE_STRICT: 'true' }, ['--no-strict'])).toEqual({ strict: false })
    expect(read({ III_SHOP_LIMIT_MS: '7' })).toEqual(
      new Map([['limit', { value: 7, from: 'environment', name: 'III_SHOP_LIMIT_MS' }]]),
    )
  })

  it.each([
    [{ III_SHOP_BE_STRICT: 'maybe' }, "III_SHOP_BE_STRICT: must be true or false, not a string ('maybe')"],
    [{ III_SHOP_LIMIT_MS: 'many' }, "III_SHOP_LIMIT_MS: must be a number, not a string ('many')"],
    [{ III_SHOP_LIMIT_MS: '0' }, "III_SHOP_LIMIT_MS: must be at least 1 ('0')"],
    [{ III_SHOP_PREFIXES: '["a",' }, `III_SHOP_PREFIXES: must be a list, not a string ('["a",')`],
    [{ III_SHOP_MODE: 'strikt' }, `III_SHOP_MODE: must be one of "open", "strict" ('strikt'); did you mean 'strict'?`],
    [
      { III_SHOP_JOBS: '{"a":{"targets":5}}' },
      `III_SHOP_JOBS.a.targets: must be a list, not a number ('{"a":{"targets":5}}')`,
    ],
    [{ III_SHOP_JOBS: '{' }, "III_SHOP_JOBS: must be an object, not a string ('{')"],
    [
      { III_SHOP_BE_STRICT: 'ture' },
      "III_SHOP_BE_STRICT: must be true or false, not a string ('ture'); did you mean 'true'?",
    ],
  ])('is refused with the variable and what would be right: %j', (env, problem) => {
    expect(read(env)).toBe(problem)
  })
})

describe('a variable of ours that no option has', () => {
  it('is named, with the nearest one', () => {
    const env = { III_SHOP_BE_STRIKT: '1', III_SHOP_X: '1', III_SHOP_MODE: 'open', III_SHOPS: '1', OLD_SCOPES: '1' }
    expect(explainStrays('shop', table, env)).toEqual([
      'unknown variable III_SHOP_BE_STRIKT; did you mean III_SHOP_BE_STRICT?',
      expect.stringMatching(/^unknown variable III_SHOP_X/),
    ])
    expect(explainStrays('shop', {}, env)).toEqual([])
  })

  it('comes with what is read of a command line', () => {
    const said = readCommandLine([], { III_SHOP_BE_STRIKT: '1' }, table, { worker: 'shop' })
    expect(said).toMatchObject({ strays: ['unknown variable III_SHOP_BE_STRIKT; did you mean III_SHOP_BE_STRICT?'] })
  })

  it('may be meant to be the file of the worker', () => {
    expect(explainStrays('shop', table, { III_SHOP_CONFG: 'a.yaml' })).toEqual([
      'unknown variable III_SHOP_CONFG; did you mean III_SHOP_CONFIG?',
    ])
  })

  it('is not the file of a worker', () => {
    expect(explainStrays('shop', table, { III_SHOP_CONFIG: 'a.yaml', III_SHOP_DESK_CONFIG: 'b.yaml' })).toEqual([])
  })
})

describe('the file of one worker among several', () => {
  const env = {
    III_CONFIG: 'all.yaml',
    III_MCP_CONFIG: 'mcp.yaml',
    III_MCP_CLIENT_CONFIG: 'servers.yaml',
    III_RUNS_CONFIG: '',
    III_SHOP_DESK_CONFIG: 'desk.yaml',
  }

  it.each([
    ['mcp', 'mcp.yaml'],
    ['mcp-client', 'servers.yaml'],
    ['runs', 'all.yaml'],
    ['skills', 'all.yaml'],
    ['shop.desk', 'desk.yaml'],
  ])('of %s is %s', (name, file) => {
    const form = { worker: name }
    expect(readCommandLine([], env, table, form)).toMatchObject({ config: file })
    expect(readCommandLine(['--config', 'said.yaml'], env, table, form)).toMatchObject({ config: 'said.yaml' })
  })
})

describe('the environment of a micro-VM', () => {
  const flattened = { LIMIT_MS: '70', PREFIXES: '["a::"]', SCOPES_ORDERS: 'team', MODE: 'strict', UNKNOWN: '1' }

  it('has the keys of the file without a prefix', () => {
    expect(values({ ...flattened, III_ISOLATION: 'libkrun' })).toEqual({
      limit: 70,
      prefixes: ['a::'],
      scope: 'team',
      mode: 'strict',
    })
    expect(values(flattened)).toEqual({})
  })

  it('is refused with the variable, too', () => {
    expect(read({ III_ISOLATION: 'libkrun', LIMIT_MS: 'soon' })).toMatch(/^LIMIT_MS: must be a number/)
  })

  it('counts less than the variables with a prefix, and never gives an option what every process has', () => {
    const env = { III_ISOLATION: 'libkrun', LIMIT_MS: '70', III_SHOP_LIMIT_MS: '8', PATH: '/usr/bin' }
    expect(values(env)).toEqual({ limit: 8 })
  })
})
